import HTTP
import Profiles
import Rewriting

// A redirect to production that was not mapped to Shunt's own address leads the client past the guard.
extension OriginResponse {
    /// Notes the redirect for the log; throws if the client would repeat a change there and production is locked.
    ///
    /// The response's head is in the output then, and not sent yet.
    func checkRedirect(_ redirects: RedirectGuard, _ status: Int) throws(EngineFailure) {
        let response = memory.response
        let fields = response.fields.filter { $0.id == .location }
        // Of several, any may be followed, and it is not known which one was mapped.
        guard (300..<400).contains(status), fields.count > 1 || !exchange.metrics.changes.contains(.location) else {
            return
        }
        var profiles: [String] = []
        for field in fields {
            let found = redirects.profiles(
                at: [UInt8](bytes.extracting(field.value)), isTLS: exchange.client.isSecure)
            profiles += found.filter { !profiles.contains($0) }
        }
        guard !profiles.isEmpty else { return }
        let locked = profiles.filter { !exchange.state.locks.isUnlocked($0) }
        let method = exchange.request.text(exchange.request.head.methodRange)
        if repeats(status), !locked.isEmpty, !redirects.guards.methods.contains(method) {
            throw .guarded(
                locked: locked,
                "the origin \(use.origin.address) redirects \(method) to an origin of it, past Shunt", nil)
        }
        exchange.metrics.incidents.redirectedTo = profiles
    }

    /// Whether clients repeat the request (Fetch 4.4): all but a POST by 301 and 302, nothing by 303.
    private func repeats(_ status: Int) -> Bool {
        guard !exchange.request.head.method.isSafe else { return false }
        switch status {
        case 307, 308: return true
        case 301, 302: return exchange.request.head.method != .post
        default: return false
        }
    }
}
