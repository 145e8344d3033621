import Bytes
import HTTP
import Rewriting

/// Asks the origin for codings only that can be undone, where the response's body is rewritten or edited, or gets HTML
/// put in.
enum AcceptEncodingStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard
            request.use.bodyMap(for: request.exchange) != nil
                || request.exchange.way.edits?.plan.changesResponseBodies == true
                || request.exchange.messages.wantsGates
        else { return true }
        fields.insert(.acceptEncoding)
        let mark = output.count
        guard output.appendWhole("Accept-Encoding: ") else { return false }
        let bytes = request.exchange.headBytes
        let value = bytes.extracting(request.head.field(.acceptEncoding)?.value ?? 0..<0)
        if BodyRewriter.appendAcceptEncoding(from: value, to: &output), output.appendWhole("\r\n") { return true }
        output.truncate(to: mark)
        return false
    }
}

extension OriginResponse {
    /// What rewrites the addresses in the response's body and edits it; nil if it passes as it is.
    ///
    /// Part of a representation is left alone: its borders are counted in the origin's bytes.
    func makeBodyRewriter() -> BodyRewriter? {
        if exchange.way.webCall != nil, let gate = WebCallStep.gate(exchange, memory.response, bytes) {
            return BodyRewriter(gate)
        }
        let map = exchange.request.head.authority.isEmpty ? nil : use.bodyMap(for: exchange)
        let (edits, gate) = (exchange.way.edits?.plan, exchange.gates?.response)
        guard map != nil || edits?.changesResponseBodies == true || gate != nil, memory.response.status >= 200,
            let type = memory.response.field(.contentType)
        else { return nil }
        let injection = edits?.injection == nil ? nil : injection(into: bytes.extracting(type.value))
        let editing = edits?.responseBody?.use(for: bytes.extracting(type.value))
        guard memory.response.status != 206 else {
            if editing != nil || gate != nil { exchange.metrics.changes.insert(.unreadableBody) }
            exchange.messages.closeGates()
            return nil
        }
        if let editing {
            let memory = HeldMemory(exchange.state.held)
            editing.takesMemory = { memory.grow(by: $0) }
        }
        let head = exchange.headBytes
        let rewriter = BodyRewriter.make(
            contentType: bytes.extracting(type.value),
            contentEncoding: memory.response.fields.contentEncoding(from: bytes).span, map: map,
            authority: exchange.request.head.authority.map { head[$0] }, client: ClientName(exchange),
            injection: injection, editing: editing, gate: gate)
        if rewriter == nil { exchange.messages.closeGates() }
        if rewriter == nil, editing != nil || gate != nil { exchange.metrics.changes.insert(.unreadableBody) }
        if rewriter == nil, injection != nil { exchange.way.edits?.refuseInjection(in: exchange) }
        return rewriter
    }

    /// Counts the links of a page that lead past Shunt; nil where no more are told of.
    func makeLinkCount() -> AddressCount? {
        guard use.countsLinks, memory.response.status == 200, memory.response.framing != .none,
            !exchange.request.head.authority.isEmpty, let map = use.rules.addresses, use.findings.takePage()
        else { return nil }
        return AddressCount(
            contentEncoding: memory.response.fields.contentEncoding(from: bytes).span, map: map,
            authority: exchange.request.array(exchange.request.head.authority),
            client: ClientName(exchange))
    }

    /// Notes once what was counted.
    static func note(_ links: AddressCount, of use: OriginUse, in exchange: ClientExchange) {
        guard links.count > 0, use.findings.takeLinks() else { return }
        let what = links.count == 1 ? "1 link" : "\(links.count) links"
        exchange.metrics.note(
            ofOrigin: "\(what) to the origin's address, past Shunt (\"rewrite\": { \"bodies\": true } rewrites them)")
    }
}

extension [Field] {
    /// The values of all Content-Encoding fields, joined by commas.
    func contentEncoding(from bytes: Span<UInt8>) -> [UInt8] {
        var codings: [UInt8] = []
        for field in self where field.id == .contentEncoding {
            if !codings.isEmpty { codings.append(UInt8(ascii: ",")) }
            codings += [UInt8](bytes.extracting(field.value))
        }
        return codings
    }
}

// Addresses that a response's body was given come back in requests: a form that was shown is saved as it was.
extension OriginUse {
    /// Longer bodies go on as they are.
    private static let longestMapped = 8 << 20

    /// The request's body with the route's edits, and with the client's addresses as the origin has them; nil if it goes
    /// on as it is.
    ///
    /// It is read whole, since many servers take no body without a length.
    @inline(never)
    func mappedBody(of exchange: ClientExchange) async throws(EngineFailure) -> [UInt8]? {
        let (request, edited) = (exchange.request, exchange.way.edits?.body)
        guard let map = bodyMap, request.head.framing != .none, !request.upgrade.isAsked,
            !request.head.authority.isEmpty,
            let type = request.head.field(.contentType).map({ request.array($0.value) }),
            BodyRewriter.isMapped(request: type.span)
        else { return edited }
        let coding = request.head.fields.contentEncoding(from: request.bytes)
        let authority = request.array(request.head.authority)
        let name = ClientName(exchange)
        try await exchange.body.buffer(max: Self.longestMapped, mayStream: true, exchange.recording)
        guard let buffered = exchange.body.buffered, buffered.isComplete, buffered.bytes.count <= Self.longestMapped
        else {
            exchange.metrics.changes.insert(.longBody)
            return edited
        }
        let bytes = edited ?? buffered.bytes
        let mapped = try await exchange.body.perform(size: bytes.count) {
            BodyRewriter.forOrigin(
                bytes, contentType: type.span, contentEncoding: coding.span, map: map, authority: authority,
                client: name)
        }
        if mapped != nil { exchange.metrics.changes.insert(.requestBody) }
        return mapped ?? edited
    }
}
