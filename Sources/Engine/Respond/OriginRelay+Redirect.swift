import HTTP
import Profiles
import Rewriting

// A redirect to production that was not mapped to Shunt's own address leads the client past the guard.
extension Relay {
    /// Puts it down for the log; throws where the client would send a change there and production is locked.
    ///
    /// The response's head lies in the output then, and is not sent yet.
    @inline(never)
    func checkRedirect(_ redirects: RedirectGuard) throws(EngineFailure) {
        let answer = client.answer
        guard (300..<400).contains(answer.status), !client.notes.changes.contains(.location),
            let field = answer.field(.location)
        else { return }
        let profiles = redirects.profiles(
            at: [UInt8](far.inputBytes.extracting(field.value)), isTLS: client.isSecure)
        guard !profiles.isEmpty else { return }
        let locked = profiles.filter { !client.state.locks.isUnlocked($0) }
        let method = String(client.headBytes.extracting(client.request.methodRange))
        if repeats(answer.status), !locked.isEmpty, !redirects.guards.methods.contains(method) {
            throw .guarded(
                locked: locked,
                "the origin \(origin.pool.plan.address) redirects \(method) to an origin of it, past Shunt", nil)
        }
        client.notes.redirected = profiles
    }

    /// Whether clients send the same again (Fetch 4.4): all but a POST by 301 and 302, nothing by 303.
    private func repeats(_ status: Int) -> Bool {
        guard !client.request.method.isSafe else { return false }
        switch status {
        case 307, 308: return true
        case 301, 302: return client.request.method != .post
        default: return false
        }
    }
}
