import Bytes

/// A body that begins in the middle, as of a `206` response or a partial `PUT` (RFC 9110 14.4, 14.5).
///
/// The name of the value in which it begins is missing, and so is the beginning of an object or a key of many lines,
/// which may be a secret as a whole. So text that begins in the middle is replaced as a whole.
package enum PartialBody {
    /// The mark behind the Content-Type of such a body, for the redaction of bodies.
    package static let mark = Array("; shunt-begins-inside".utf8)

    /// Whether a body with this `Content-Range` begins behind the first byte of the whole.
    ///
    /// Ranges in other units than bytes are complete texts, and so is a body with `bytes */LENGTH`.
    package static func beginsInside(contentRange value: some Collection<UInt8>) -> Bool {
        let unit = "bytes".utf8
        let text = value.drop { ByteSearch.isSpace($0) }
        guard text.count >= unit.count, text.prefix(unit.count).elementsEqual(unit, by: { $0 | 0x20 == $1 }) else {
            return false
        }
        // Some write `bytes=`.
        let start = text.dropFirst(unit.count).drop { ByteSearch.isSpace($0) || $0.isOne(of: "=:") }
        if start.first == UInt8(ascii: "*") { return false }
        let digits = start.prefix { $0 &- 0x30 < 10 }
        return digits.isEmpty || digits.contains { $0 != UInt8(ascii: "0") }
    }

    /// Whether a Content-Type bears the mark.
    package static func isMarked(_ contentType: [UInt8]) -> Bool { contentType.suffix(mark.count) == mark[...] }

    /// Whether a body without a telling type looks like text.
    package static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<bytes.count where bytes[index] < 0x20 && !ByteSearch.isSpace(bytes[index]) { return false }
        return true
    }
}
