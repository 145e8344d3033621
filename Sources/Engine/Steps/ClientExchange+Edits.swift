import HTTP
import Profiles
import Rewriting

extension ClientExchange {
    /// What a route changes in the present exchange; nil where its own responder does not respond.
    func edits(of route: RoutePlan, for responder: any Responder) throws(EngineFailure) -> AppliedEdits? {
        guard let plan = route.edits, route.isOwn(responder) else { return nil }
        guard let changes = plan.request, responder.reachesOrigins else { return AppliedEdits(plan, nil) }
        let text = changedHead(by: changes)
        do throws(HTTPFailure) {
            let changed = try OwnedHead(
                text, limits: state.limits, isStream: client.channel.isStream, hasBody: request.head.framing != .none)
            return AppliedEdits(plan, changed)
        } catch {
            throw EngineFailure(
                .client, .route, status: error.status,
                "the request cannot be sent with the changes of its route: \(error.reason)")
        }
    }

    private func changedHead(by changes: RequestChanges) -> [UInt8] {
        let (bytes, head) = (headBytes, request.head)
        func text(_ range: Range<Int>) -> [UInt8] { [UInt8](bytes.extracting(range)) }
        var lines = head.target.upperBound
        while bytes[lines] != 0x0A { lines += 1 }
        lines += 1
        let end = head.fields.last?.line.upperBound ?? lines
        let fields = changes.headers.applied(to: text(lines..<end))
        if !changes.headers.isEmpty { metrics.changes.insert(.requestHeaders) }
        // OPTIONS * and CONNECT have no path.
        let hasPath = head.targetForm == .origin || head.targetForm == .absolute && !head.pathAndQuery.isEmpty
        guard changes.changesTarget, hasPath else { return text(0..<lines) + fields + Array("\r\n".utf8) }
        let path = head.path.isEmpty ? [UInt8(ascii: "/")] : text(head.path)
        let hasQuery = head.pathAndQuery.count > head.path.count
        let target = changes.target(path: path, query: hasQuery ? text(head.query) : nil)
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        if target[..<mark] != path[...] { metrics.changes.insert(.path) }
        if target[mark...].dropFirst() != text(head.query)[...] { metrics.changes.insert(.query) }
        return text(0..<head.pathAndQuery.lowerBound) + target + text(head.pathAndQuery.upperBound..<lines) + fields
            + Array("\r\n".utf8)
    }
}
