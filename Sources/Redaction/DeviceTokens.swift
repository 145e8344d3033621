import Bytes

/// Finds the device tokens of APNs in paths, as in `/3/device/TOKEN`.
///
/// Lenient servers also read paths with escapes, capitals, empty segments, dots and parameters, and so does this. A token
/// with a digit too few, in quotation marks or with spaces, as apps send it by mistake, is one, too. Identifiers of other
/// devices are not as long: UUIDs have 32 digits, SHA-1 has 40.
enum DeviceTokens {
    // Of hexadecimal digits. Tokens have 64; a failure quotes 43 of them at least.
    private static let shortest = 41
    /// Bytes in front of a segment that are looked at, so that a path of many long segments costs no more than its length.
    private static let lookback = 256

    /// The token in a segment of a path, and the segment that names it; nil if it has none.
    static func first(
        in bytes: Span<UInt8>, _ path: Range<Int>, segment: Range<Int>
    ) -> (name: Range<Int>, secret: Range<Int>)? {
        guard segment.count >= shortest else { return nil }
        let start = max(path.lowerBound, segment.lowerBound - lookback)
        let segments = resolved(decoded(bytes, start..<segment.upperBound))
        guard segments.count >= 2 else { return nil }
        let (name, last) = (segments[segments.count - 2], segments[segments.count - 1])
        let token = last.drop(while: isEnd).prefix { !isEnd($0) }
        guard token.count(where: { ByteSearch.hexDigit($0.byte) != nil }) >= shortest,
            name.map({ $0.byte | 0x20 }).elementsEqual("device".utf8), place(of: token).lowerBound >= segment.lowerBound
        else { return nil }
        return (place(of: name), place(of: token))
    }

    /// Whether a byte ends a token, as quotation marks do around a URL in a text, and the space behind it in a line of a
    /// request.
    ///
    /// An escaped one does not, and neither do signs between digits, as in `d2:97:c5`.
    private static func isEnd(_ piece: Piece) -> Bool {
        piece.place.count == 1 && (piece.byte <= 0x20 || piece.byte.isOne(of: "\"'`<>(){}[]\\"))
    }

    /// A byte of a path, and the bytes that it is written with.
    private typealias Piece = (byte: UInt8, place: Range<Int>)

    private static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Piece] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let meant = bytes[index] == 0x25 ? TextEncoding.percent(bytes, index, to: range.upperBound) : nil
            let end = meant == nil ? index + 1 : index + 3
            pieces.append((meant ?? bytes[index], index..<end))
            index = end
        }
        return pieces
    }

    /// The segments that a path has without empty ones, dots (RFC 3986, 5.2.4) and parameters.
    private static func resolved(_ path: [Piece]) -> [ArraySlice<Piece>] {
        var segments: [ArraySlice<Piece>] = []
        for segment in path.split(whereSeparator: { $0.byte == UInt8(ascii: "/") }) {
            let name = segment.prefix { $0.byte != UInt8(ascii: ";") }
            if name.map(\.byte).elementsEqual("..".utf8) {
                _ = segments.popLast()
            } else if !name.isEmpty, !name.map(\.byte).elementsEqual(".".utf8) {
                segments.append(name)
            }
        }
        return segments
    }

    private static func place(of pieces: ArraySlice<Piece>) -> Range<Int> {
        pieces[pieces.startIndex].place.lowerBound..<pieces[pieces.endIndex - 1].place.upperBound
    }
}
