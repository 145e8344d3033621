import Bytes
import HTTP
import Rewriting

// Bodies whose addresses are rewritten: what heads have to say of it.
extension ClientExchange {
    /// What rewrites the answer's body; nil if it passes as it is.
    ///
    /// Part of a representation is left alone: its borders are counted in the origin's bytes.
    func makeBodyRewriter(from bytes: Span<UInt8>, _ use: OriginUse) -> BodyRewriter? {
        guard let map = use.bodyMap, answer.status >= 200, answer.status != 206, !request.authority.isEmpty,
            let type = answer.field(.contentType)
        else { return nil }
        var codings = ContiguousArray<UInt8>()
        for field in answer.fields where field.id == .contentEncoding {
            if !codings.isEmpty { codings.append(UInt8(ascii: ",")) }
            for index in field.value { codings.append(bytes[index]) }
        }
        let head = headBytes
        return BodyRewriter.make(
            contentType: bytes.extracting(type.value), contentEncoding: codings.span, map: map,
            authority: request.authority.map { head[$0] }, client: clientName)
    }

    /// The codings that the client takes and a rewriter can undo.
    func appendAcceptEncoding(to output: inout Buffer) -> Bool {
        let bytes = headBytes
        let mark = output.count
        guard output.appendWhole("Accept-Encoding: ") else { return false }
        let value = bytes.extracting(request.field(.acceptEncoding)?.value ?? 0..<0)
        if BodyRewriter.appendAcceptEncoding(from: value, to: &output), output.appendWhole("\r\n") { return true }
        output.truncate(to: mark)
        return false
    }

    /// The answer's ETag, which no longer stands for the origin's bytes.
    func appendWeakETag(from bytes: Span<UInt8>) -> Bool {
        guard let tag = answer.field(.etag) else { return true }
        return channel.output.appendWhole("ETag: ")
            && BodyRewriter.appendWeakETag(bytes.extracting(tag.value), to: &channel.output)
            && channel.output.appendWhole("\r\n")
    }
}
