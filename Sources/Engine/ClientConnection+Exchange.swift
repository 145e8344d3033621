import Bytes
import HTTP
import Profiles
import Reactor

extension ClientConnection {
    /// Answers the request whose head was just read.
    ///
    /// This is the life of a request.
    func exchange() async {
        state.counters.active += 1
        defer { state.counters.active -= 1 }
        if state.isDraining || !request.keepAlive { mustClose = true }
        if state.observer != nil { notes.describe(request, inputBytes, isSecure: isSecure) }
        switch state.content {
        case .handler(let handler): await handle(with: handler)
        case .profiles(let switchboard):
            let environment = state.currentEnvironment(switchboard)
            do throws(EngineFailure) {
                let route = try choose(environment)
                if state.observer != nil { notes.route = route }
                switch route.answer {
                case .mock(let mock):
                    await answerLocally(mock, extra: route.answeredBy)
                    endExchange(status: mock.status)
                case .origin(let index, let preserveHost):
                    try await relay(through: state.pool(index), route, preserveHost: preserveHost)
                    endExchange(status: answer.status)
                }
            } catch {
                await fail(error)
            }
        }
    }

    /// Tells the client of a failure, as far as it can still be told, and writes it down.
    private func fail(_ failure: EngineFailure) async {
        state.counters.failures += 1
        if notes.hasAnswerBegun {
            // A cut-off answer must not look like a whole one.
            channel.output.removeAll()
            channel.socket.resetOnClose()
            mustClose = true
            channel.socket.close()
            endExchange(status: answer.status, failure: failure)
            return
        }
        if failure.side == .client && failure.stage != .route { mustClose = true }
        if headLength == 0 { mustClose = true }
        await answerLocally(.failure(failure, wantsHTML: headLength > 0 && wantsHTML))
        endExchange(status: failure.status, failure: failure)
    }

    /// A browser's navigation names HTML first among what it accepts.
    private var wantsHTML: Bool {
        guard let accept = request.field(.accept) else { return false }
        let text = Array("text/html".utf8)
        let value = inputBytes.extracting(accept.value)
        guard value.count >= text.count else { return false }
        for index in text.indices where value[index] != text[index] { return false }
        return true
    }

    /// The route that answers: the request's own choice of a profile first, else the active one.
    private func choose(_ environment: Environment) throws(EngineFailure) -> RoutePlan {
        let bytes = inputBytes
        if request.method == .connect {
            throw EngineFailure(
                .client, .route, status: 501, "CONNECT asks for a forward proxy, and Shunt is a reverse proxy",
                advice: "Use Shunt's address as the base URL of the client, not as its proxy.")
        }
        var plan = environment.active
        if let field = request.field(.shuntProfile) {
            let name = String(bytes.extracting(field.value))
            guard let chosen = environment.plan(named: name) else {
                let near = environment.library.nearestName(to: name).map { " Did you mean \"\($0)\"?" } ?? ""
                let known = environment.library.profiles.map(\.name).joined(separator: ", ")
                throw EngineFailure(
                    .client, .route, status: 400, "the Shunt-Profile field names no profile: \"\(name)\"",
                    advice: "There are: \(known).\(near)")
            }
            plan = chosen
        }
        if notes.isObserved { notes.profile = plan.profile.name }
        let path = request.targetForm == .asterisk ? 0..<0 : request.path
        let index = plan.profile.match(
            host: bytes.extracting(request.host), port: request.port ?? (isSecure ? 443 : 80),
            path: bytes.extracting(path), method: bytes.extracting(request.methodRange), hasField: { hasField($0, $1) })
        guard let index else { throw unrouted(plan) }
        return plan.routes[index]
    }

    /// Whether the request has a field; `name` is in small letters.
    private func hasField(_ name: [UInt8], _ value: [UInt8]?) -> Bool {
        let bytes = inputBytes
        return request.fields.contains { field in
            guard field.name.count == name.count else { return false }
            for (offset, index) in field.name.enumerated() {
                let byte = bytes[index]
                guard name[offset] == (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) else { return false }
            }
            guard let value else { return true }
            return field.value.count == value.count
                && zip(field.value, value).allSatisfy { bytes[$0] == $1 }
        }
    }

    private func unrouted(_ plan: ProfilePlan) -> EngineFailure {
        let bytes = inputBytes
        let host = String(bytes.extracting(request.authority))
        let path = String(bytes.extracting(request.path))
        let method = String(bytes.extracting(request.methodRange))
        // A path alone where no host was named.
        let url = host.isEmpty ? path : (isSecure ? "https://" : "http://") + host + path
        var advice = "Add a route to the profile, or see `shunt explain \(url)`."
        if SocketAddress(literal: String(bytes.extracting(request.host)), port: 0)?.isLoopback == true
            || host.hasPrefix("localhost")
        {
            advice += " A client whose base URL is Shunt's own address wants routes for that host, or without a host."
        }
        if let explanation = try? plan.profile.explain(url: url, method: method),
            case .unanswered(let misses) = explanation.outcome, !misses.isEmpty
        {
            advice += "\nNearly matched:\n" + misses.map { "  \($0.route.label): \($0.reason)\n" }.joined()
        }
        return EngineFailure(
            .client, .route, status: 404, "profile \(plan.profile.name) has no route for \(method) \(host)\(path)",
            advice: advice)
    }
}

extension String {
    /// Text of bytes that came from the network; what is no UTF-8 is replaced.
    init(_ span: Span<UInt8>) { self = span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
