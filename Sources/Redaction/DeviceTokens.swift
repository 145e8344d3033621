import Bytes

/// Finds the device tokens of APNs in paths, as in `/3/device/TOKEN`.
///
/// Lenient servers also read paths with escapes, capitals, empty segments, dots and parameters, and so does this.
/// Numbers of other devices are not as long.
enum DeviceTokens {
    /// Of hexadecimal digits.
    private static let shortest = 64
    /// The same of a token in a quotation that was cut off within it.
    private static let shortestCut = 32
    /// Bytes in front of a segment that are looked at, so that a path of many long segments costs no more than its length.
    private static let lookback = 256

    /// The token in a segment of a path, and the segment that names it; nil if it has none.
    static func first(
        in bytes: Span<UInt8>, _ path: Range<Int>, segment: Range<Int>
    ) -> (name: Range<Int>, secret: Range<Int>)? {
        let isCut = isCut(bytes, segment)
        let shortest = isCut ? shortestCut : shortest
        guard segment.count >= shortest else { return nil }
        let start = max(path.lowerBound, segment.lowerBound - lookback)
        let segments = resolved(decoded(bytes, start..<segment.upperBound))
        guard segments.count >= 2 else { return nil }
        let (name, last) = (segments[segments.count - 2], segments[segments.count - 1])
        let token = last.prefix { ByteSearch.hexDigit($0.byte) != nil }
        guard token.count >= shortest, last.dropFirst(token.count).first.map({ isEnd($0.byte) }) ?? true,
            name.map({ $0.byte | 0x20 }).elementsEqual("device".utf8), place(of: token).lowerBound >= segment.lowerBound
        else { return nil }
        return (place(of: name), place(of: token))
    }

    /// Whether a byte ends a token, as quotation marks do around a URL in a text, the space behind it in a line of a
    /// request, and a `%` that begins no escape.
    private static func isEnd(_ byte: UInt8) -> Bool {
        !ByteSearch.isAlphanumeric(byte) && !"-_~+=".utf8.contains(byte) && byte < 0x80
    }

    /// Whether a quotation ends in a segment, as failures quote the first 60 bytes of a target: `"/3/device/0a0a..."`.
    private static func isCut(_ bytes: Span<UInt8>, _ segment: Range<Int>) -> Bool {
        guard segment.count > 4 else { return false }
        let end = segment.upperBound
        return bytes[end - 1] == UInt8(ascii: "\"") && bytes[end - 2] == UInt8(ascii: ".")
            && bytes[end - 3] == UInt8(ascii: ".") && bytes[end - 4] == UInt8(ascii: ".")
    }

    /// A byte of a path, and the bytes that it is written with.
    private typealias Piece = (byte: UInt8, place: Range<Int>)

    private static func decoded(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Piece] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < range.upperBound,
                let high = ByteSearch.hexDigit(bytes[index + 1]), let low = ByteSearch.hexDigit(bytes[index + 2])
            {
                pieces.append((high << 4 | low, index..<index + 3))
                index += 3
            } else {
                pieces.append((bytes[index], index..<index + 1))
                index += 1
            }
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
