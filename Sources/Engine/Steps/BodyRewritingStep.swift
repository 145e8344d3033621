import Bytes
import HTTP
import Rewriting

/// Asks the origin for codings only that can be undone, where the response's body is rewritten or gets HTML put in.
enum AcceptEncodingStep: RequestStep {
    static func replacedFields(of request: OutgoingRequest) -> FieldNameSet? {
        request.use.bodyMap == nil && request.exchange.request.edits?.plan.injection == nil ? nil : [.acceptEncoding]
    }

    static func append(to output: inout Buffer, for request: OutgoingRequest) -> Bool {
        let mark = output.count
        guard output.appendWhole("Accept-Encoding: ") else { return false }
        let bytes = request.exchange.headBytes
        let value = bytes.extracting(request.head.field(.acceptEncoding)?.value ?? 0..<0)
        if BodyRewriter.appendAcceptEncoding(from: value, to: &output), output.appendWhole("\r\n") { return true }
        output.truncate(to: mark)
        return false
    }
}

extension OriginRelay {
    /// What rewrites the addresses in the response's body; nil if it passes as it is.
    ///
    /// Part of a representation is left alone: its borders are counted in the origin's bytes.
    func makeBodyRewriter(from bytes: Span<UInt8>) -> BodyRewriter? {
        let map = exchange.request.head.authority.isEmpty ? nil : use.bodyMap
        let injects = exchange.request.edits?.plan.injection != nil
        guard map != nil || injects, memory.response.status >= 200, let type = memory.response.field(.contentType)
        else { return nil }
        let injection = injects ? injection(into: bytes, bytes.extracting(type.value)) : nil
        guard memory.response.status != 206 else { return nil }
        var codings = ContiguousArray<UInt8>()
        for field in memory.response.fields where field.id == .contentEncoding {
            if !codings.isEmpty { codings.append(UInt8(ascii: ",")) }
            for index in field.value { codings.append(bytes[index]) }
        }
        let head = exchange.headBytes
        let rewriter = BodyRewriter.make(
            contentType: bytes.extracting(type.value), contentEncoding: codings.span, map: map,
            authority: exchange.request.head.authority.map { head[$0] }, client: exchange.clientName,
            injection: injection)
        if rewriter == nil, injection != nil { exchange.request.edits?.refuseInjection(in: exchange) }
        return rewriter
    }
}
