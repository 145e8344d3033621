import HTTP
import Profiles
import Rewriting

extension RouteEdits: Wrapper {
    /// A chain's own changes are restored before its next candidate is tried.
    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        let outer = exchange.request.edits
        do throws(EngineFailure) {
            exchange.request.apply(try applied(to: exchange, for: next))
            try await next.run(exchange, step)
        } catch {
            exchange.request.apply(outer)
            throw error
        }
    }

    /// What is changed in an exchange; nil where another responder than the route's own responds.
    func applied(to exchange: ClientExchange, for next: Next) throws(EngineFailure) -> AppliedEdits? {
        guard next.isOwn else { return nil }
        guard let changes = request, next.responder.reachesOrigins else { return AppliedEdits(self, nil) }
        let request = exchange.request
        let text = changedHead(of: request, by: changes, &exchange.metrics.changes)
        do throws(HTTPFailure) {
            let changed = try OwnedHead(
                text, limits: exchange.state.limits, isStream: exchange.client.channel.isStream,
                hasBody: request.head.framing != .none)
            return AppliedEdits(self, changed)
        } catch {
            throw EngineFailure(
                .client, .route, status: error.status,
                "the request cannot be sent with the changes of its route: \(error.reason)")
        }
    }

    private func changedHead(
        of request: Request, by changes: RequestChanges, _ made: inout RewriteChanges
    ) -> [UInt8] {
        let head = request.head
        func text(_ range: Range<Int>) -> [UInt8] { request.array(range) }
        var lines = head.target.upperBound
        while request.bytes[lines] != 0x0A { lines += 1 }
        lines += 1
        let end = head.fields.last?.line.upperBound ?? lines
        let fields = changes.headers.applied(to: text(lines..<end))
        if !changes.headers.isEmpty { made.insert(.requestHeaders) }
        // OPTIONS * and CONNECT have no path.
        let hasPath = head.targetForm == .origin || head.targetForm == .absolute && !head.pathAndQuery.isEmpty
        guard changes.changesTarget, hasPath else { return text(0..<lines) + fields + Array("\r\n".utf8) }
        let path = head.path.isEmpty ? [UInt8(ascii: "/")] : text(head.path)
        let hasQuery = head.pathAndQuery.count > head.path.count
        let target = changes.target(path: path, query: hasQuery ? text(head.query) : nil)
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        if target[..<mark] != path[...] { made.insert(.path) }
        if target[mark...].dropFirst() != text(head.query)[...] { made.insert(.query) }
        return text(0..<head.pathAndQuery.lowerBound) + target + text(head.pathAndQuery.upperBound..<lines) + fields
            + Array("\r\n".utf8)
    }
}
