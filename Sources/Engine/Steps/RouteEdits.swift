import Bytes
import HTTP
import Profiles
import Rewriting
import TLS

/// What a route changes, made ready for the data path.
final class RouteEdits: Sendable {
    let request: RequestChanges?
    let response: ResponseChanges?
    let injection: Injection?
    let requestBody: BodyEdits?
    let responseBody: BodyEdits?
    let messages: MessageEdits?
    /// Locations and cookies of origins lead back to the paths that clients know.
    let mapsAddresses: Bool
    let mapsCookies: Bool
    /// That of the route, for messages.
    let label: String

    init(_ changes: RouteChanges, of route: Route) {
        label = route.label
        request = changes.request
        response = changes.response
        injection = changes.injects ? Self.injection(of: changes) : nil
        requestBody = changes.request?.body.map { BodyEdits($0) }
        responseBody = changes.response?.body.map { BodyEdits($0) }
        messages = MessageEdits(changes.messages)
        let mapsPaths = request.map { !$0.path.isEmpty } ?? false
        mapsAddresses = mapsPaths && route.rewrite.addresses
        mapsCookies = mapsPaths && route.rewrite.cookies
    }

    private static func injection(of changes: RouteChanges) -> Injection {
        let (head, body) = (changes.injection?.head ?? [], changes.injection?.body ?? [])
        return Injection(
            start: changes.bridge.map { BridgeScript.html(for: $0) } ?? [], head: head.flatMap(\.html),
            body: body.flatMap(\.html), connects: changes.bridge != nil
        ) { bytes in
            sha256(ContiguousArray(bytes).span).map { Base64Encoder.text($0) }
        }
    }

    /// Bodies of responses do not go on as they come.
    var changesResponseBodies: Bool { injection != nil || responseBody != nil }

    /// What clients get for a status of the route's responder.
    func status(for status: Int) -> Int { response?.status?.status(for: status) ?? status }
}

extension RouteEdits: Wrapper {
    /// A chain's own changes are restored before its next candidate is tried.
    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        let outer = exchange.way.edits
        do throws(EngineFailure) {
            exchange.way.edits = try applied(to: exchange, for: next)
            if requestBody != nil { try await editBody(of: exchange) }
            try await next.run(exchange, step)
        } catch {
            exchange.way.edits = outer
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
        // Without the label of a session, which the target has in front of the path.
        let front = text(0..<(head.targetForm == .origin ? head.target.lowerBound : head.pathAndQuery.lowerBound))
        guard changes.changesTarget, hasPath else {
            return front + text(head.pathAndQuery.lowerBound..<lines) + fields + Array("\r\n".utf8)
        }
        let path = head.path.isEmpty ? [UInt8(ascii: "/")] : text(head.path)
        let hasQuery = head.pathAndQuery.count > head.path.count
        let target = changes.target(path: path, query: hasQuery ? text(head.query) : nil)
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        if target[..<mark] != path[...] { made.insert(.path) }
        if target[mark...].dropFirst() != text(head.query)[...] { made.insert(.query) }
        return front + target + text(head.pathAndQuery.upperBound..<lines) + fields + Array("\r\n".utf8)
    }
}

/// What is changed in the present exchange.
final class AppliedEdits {
    let plan: RouteEdits
    /// The request as it arrives at an origin; nil where it arrives as it came.
    let request: OwnedHead?
    /// The HTML for the page that responds; nil if the response is no page, or must stay unchanged.
    var injection: InjectionUse?
    /// The request's body as it arrives at an origin, before its addresses are mapped; nil where it is as it came.
    var body: [UInt8]?

    init(_ plan: RouteEdits, _ request: OwnedHead?) {
        self.plan = plan
        self.request = request
    }
}

extension AppliedEdits {
    /// Changes the fields of a request that lie in `output` from `mark` on; false if they do not fit.
    func changeRequest(_ output: inout Buffer, from mark: Int) -> Bool {
        guard let headers = plan.request?.headers, !headers.isEmpty else { return true }
        return replace(&output, from: mark) { headers.applied(to: $0) }
    }

    /// Puts other text for that from `mark` on.
    func replace(_ output: inout Buffer, from mark: Int, _ change: ([UInt8]) -> [UInt8]) -> Bool {
        output.replace(from: mark, with: change(Array(output.unsafeBytes[mark...])))
    }
}
