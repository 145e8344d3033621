import Bytes

/// Replaces user and password of URLs wherever they stand: in a query, in a path, in a field, escaped or not.
///
/// What stands between `//` and `@` counts, and without slashes what has a colon in front of an `@`.
enum UserinfoRedaction {
    /// Goes over what was written from `start` on.
    static func redact(_ out: inout [UInt8], from start: Int, core: RedactionCore) {
        guard mayHoldUserinfo(out, from: start) else { return }
        let text = UnescapedText(Array(out[start...]))
        let places = places(in: text.bytes)
        guard !places.isEmpty else { return }
        let raw = out[start...]
        var redacted: [UInt8] = []
        var written = 0
        // What was replaced before stays.
        for place in places where text.bytes[place] != [0] {
            let (begin, end) = (text.starts[place.lowerBound], text.starts[place.upperBound])
            redacted += raw[(start + written)..<(start + begin)]
            core.replace(text.bytes.span.extracting(place), name: "userinfo", .userinfo, into: &redacted)
            written = end
        }
        redacted += raw[(start + written)...]
        out.replaceSubrange(start..., with: redacted)
    }

    /// Whether there is an `@`, perhaps escaped several times.
    private static func mayHoldUserinfo(_ out: [UInt8], from start: Int) -> Bool {
        out.withSpan { bytes in
            var index = start
            while true {
                index = ByteSearch.either(UInt8(ascii: "@"), UInt8(ascii: "%"), in: bytes, from: index, to: bytes.count)
                guard index < bytes.count else { return false }
                if bytes[index] == UInt8(ascii: "@") { return true }
                index += 1
                while index + 1 < bytes.count, bytes[index] == 0x32, bytes[index + 1] == 0x35 { index += 2 }
                if index + 1 < bytes.count, bytes[index] == 0x34, bytes[index + 1] == 0x30 { return true }
            }
        }
    }

    private static func places(in text: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var search = Search()
        var index = 0
        while index < text.count {
            if index >= 2, isSlash(text[index - 1]), isSlash(text[index - 2]), !isSlash(text[index]),
                let end = endOfUserinfo(text, from: index, &search)
            {
                places.append(index..<end)
                index = end
            } else if text[index] == UInt8(ascii: "@"),
                let place = credentials(text, before: index, from: places.last?.upperBound ?? 0)
            {
                places.append(place)
            }
            index += 1
        }
        return places
    }

    /// Behind two slashes: the `@` that ends user and password.
    ///
    /// A password may hold what ends an authority; then what looks like the port is no number.
    private static func endOfUserinfo(_ text: [UInt8], from start: Int, _ search: inout Search) -> Int? {
        let authority = text[start...].prefix { !endsAuthority($0) }
        if let end = authority.lastIndex(of: UInt8(ascii: "@")) { return end > start ? end : nil }
        guard hasFalsePort(authority.span) else { return nil }
        return search.at(in: text, from: authority.endIndex)
    }

    /// The next `@` of a word, which is looked for once for all places in front of it.
    private struct Search {
        private var known = 0..<0
        private var isFound = false

        mutating func at(in text: [UInt8], from start: Int) -> Int? {
            if start < known.lowerBound || start > known.upperBound || known.upperBound == 0 {
                var end = start
                while end < text.count, !endsWord(text[end]), text[end] != UInt8(ascii: "@") { end += 1 }
                known = start..<end
                isFound = end < text.count && text[end] == UInt8(ascii: "@")
            }
            return isFound ? known.upperBound : nil
        }
    }

    /// Whether what follows the last colon is no port (RFC 3986 3.2.3), and not `*`, which stands for any.
    static func hasFalsePort(_ authority: Span<UInt8>) -> Bool {
        var index = authority.count
        var hasOther = false
        while index > 0 {
            index -= 1
            switch authority[index] {
            case UInt8(ascii: ":"): return hasOther
            // An address (RFC 3986 3.2.2), or what was replaced before.
            case UInt8(ascii: "]"), UInt8(ascii: ">"): return false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"): break
            default: hasOther = true
            }
        }
        return false
    }

    /// In front of an `@`: a user, a colon and a password.
    private static func credentials(_ text: [UInt8], before end: Int, from floor: Int) -> Range<Int>? {
        var start = end
        while start > floor, !endsCredentials(text[start - 1]) { start -= 1 }
        guard let colon = text[start..<end].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isAddress = addressSchemes.contains { $0.utf8.elementsEqual(text[start..<colon].map { $0 | 0x20 }) }
        guard !isAddress else { return nil }
        return start..<end
    }

    /// What stands in front of an address with an `@` that is no credential.
    private static let addressSchemes = ["mailto", "acct", "sip", "sips", "xmpp", "im"]

    static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == UInt8(ascii: "\"") }

    private static func endsAuthority(_ byte: UInt8) -> Bool { endsWord(byte) || byte.isOne(of: "/\\?#&") }

    private static func endsCredentials(_ byte: UInt8) -> Bool { endsAuthority(byte) || byte.isOne(of: "=;,<>()'@") }
}

/// A text without its escapes, also where an escape was escaped once more; a replacement is one NUL.
private struct UnescapedText {
    private(set) var bytes: [UInt8] = []
    /// Where each byte stands in the text as it is written, and at last its length.
    private(set) var starts: [Int] = []

    init(_ text: [UInt8]) {
        var replaced = Replacement.places(in: text).map(\.place)[...]
        var index = 0
        while index < text.count {
            starts.append(index)
            if let place = replaced.first, place.lowerBound == index {
                replaced = replaced.dropFirst()
                bytes.append(0)
                index = place.upperBound
            } else {
                let unit = text.withSpan { ParameterReader.unit($0, index, atMost: .max) }
                bytes.append(unit.byte)
                index += unit.count
            }
        }
        starts.append(text.count)
    }
}
