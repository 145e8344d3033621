public import Bytes
public import HTTP

/// Changes to heads that a body's rewriting needs.
extension BodyRewriter {
    /// Fields of a response that say something about the body's length or bytes, and go when it is rewritten.
    ///
    /// The length is unknown beforehand. Ranges would be counted in the origin's bytes. Last-Modified stays: it is weak
    /// by nature (RFC 9110 8.8.2.2). ETag is ``appendWeakETag(_:to:)``'s.
    public static let droppedFields: FieldNameSet = [
        .contentLength, .contentMd5, .digest, .contentDigest, .reprDigest, .acceptRanges,
    ]

    /// Appends an ETag's value made weak: the body means the same, but has other bytes (RFC 9110 8.8.1).
    ///
    /// False if it does not fit; nothing was appended then.
    public static func appendWeakETag(_ value: Span<UInt8>, to out: inout Buffer) -> Bool {
        let range = value.trimmed(0..<value.count)
        // `W/` is case-sensitive (RFC 9110 8.8.3).
        let isWeak = range.count >= 2 && value[range.lowerBound] == 0x57 && value[range.lowerBound + 1] == 0x2F
        guard range.count + (isWeak ? 0 : 2) <= out.room else { return false }
        return (isWeak || out.appendWhole("W/")) && out.appendWhole(value.extracting(range))
    }

    /// Appends an Accept-Encoding value for the origin: of the client's list the codings that can be rewritten.
    ///
    /// Members keep their order and weights; `*` only stays where it excludes the rest (`;q=0`). `identity` is named if
    /// no member is left, as for a request without the field, whose value is empty. False if it does not fit; nothing
    /// was appended then.
    public static func appendAcceptEncoding(from value: Span<UInt8>, to out: inout Buffer) -> Bool {
        var length = 0
        var hasCoding = false
        var members = ListMembers()
        while let member = members.next(value) {
            guard let kind = MemberKind(value, member) else { continue }
            length += member.count + (length > 0 ? 2 : 0)
            if kind == .coding { hasCoding = true }
        }
        guard hasCoding else { return out.appendWhole("identity") }
        guard length <= out.room else { return false }
        var isFirst = true
        members = ListMembers()
        while let member = members.next(value) {
            guard MemberKind(value, member) != nil else { continue }
            guard isFirst || out.appendWhole(", "), out.appendWhole(value.extracting(member)) else { return false }
            isFirst = false
        }
        return true
    }

    private enum MemberKind {
        case coding
        /// All others are refused.
        case exclusion

        /// nil for codings that are left out.
        init?(_ value: Span<UInt8>, _ member: Range<Int>) {
            var end = member.lowerBound
            while end < member.upperBound, value[end] != 0x3B { end += 1 }
            let name = value.trimmed(member.lowerBound..<end)
            if ContentCoding(value, name) != nil || ContentCoding.isIdentity(value, name) {
                self = .coding
            } else if value.isText("*", in: name), Self.isZero(value, end..<member.upperBound) {
                self = .exclusion
            } else {
                return nil
            }
        }

        /// Whether `;q=0` or `;q=0.000` is in the range (RFC 9110 12.4.2).
        private static func isZero(_ value: Span<UInt8>, _ range: Range<Int>) -> Bool {
            guard !range.isEmpty else { return false }
            let weight = value.trimmed(range.lowerBound + 1..<range.upperBound)
            guard weight.count > 2, value.hasText("q=0", in: weight) else { return false }
            for index in weight.dropFirst(3) where value[index] != 0x2E && value[index] != 0x30 { return false }
            return true
        }
    }
}
