import Bytes

/// The beginning of an address, without its host.
struct AddressHead {
    enum Scheme {
        case http, https, ws, wss

        var isWebSocket: Bool { self == .ws || self == .wss }
        var port: UInt16 { self == .https || self == .wss ? 443 : 80 }
    }

    /// nil without one: the page's own is meant (RFC 3986 4.2).
    let scheme: Scheme?
    let start: Int
    /// Where the scheme ends and its colon begins.
    let schemeEnd: Int
    let slashes: Slashes

    private static let schemes: [(StaticString, Scheme)] = [
        ("https", .https), ("http", .http), ("wss", .wss), ("ws", .ws),
    ]
    private static let colons: [StaticString] = [":", "%3a", "\\u003a"]
    private static let slashForms: [StaticString] = ["//", "\\/\\/", "%2f%2f", "\\u002f\\u002f"]

    /// The bytes before an address that tell whether it is one.
    static let contextLength = 8

    /// Nothing if what is in front of the slashes makes them something else; none of it lies before `minimum`.
    init?(_ bytes: Span<UInt8>, _ slashes: Slashes, minimum: Int) {
        self.slashes = slashes
        let end = slashes.range.lowerBound
        for colon in Self.colons where bytes.endsWith(colon, minimum..<end) {
            schemeEnd = end - colon.utf8CodeUnitCount
            for (text, scheme) in Self.schemes where bytes.endsWith(text, minimum..<schemeEnd) {
                start = schemeEnd - text.utf8CodeUnitCount
                self.scheme = scheme
                guard !bytes.continuesScheme(at: start) else { return nil }
                return
            }
            return nil
        }
        guard bytes.mayPrecedeSlashes(at: end) else { return nil }
        scheme = nil
        start = end
        schemeEnd = end
    }

    /// Where at the end of the bytes an address may begin whose slashes are not complete, not before `minimum`.
    static func unfinished(_ bytes: Span<UInt8>, minimum: Int) -> Int {
        // "https\u003a\u002f\u002", the longest, has 22.
        var index = max(minimum, bytes.count - 22)
        while index < bytes.count {
            if beginsHead(bytes, index) { return index }
            index += 1
        }
        return index
    }

    private static func beginsHead(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let rest = start..<bytes.count
        switch ByteSearch.lowercased(bytes[start]) {
        case 0x68, 0x77:
            guard !bytes.continuesScheme(at: start) else { return false }
            for (text, _) in schemes {
                if bytes.beginsUnfinished(text, rest) { return true }
                guard bytes.hasText(text, in: rest) else { continue }
                let colonStart = start + text.utf8CodeUnitCount
                if colonStart == bytes.count { return true }
                for colon in colons {
                    if bytes.beginsUnfinished(colon, colonStart..<bytes.count) { return true }
                    guard bytes.hasText(colon, in: colonStart..<bytes.count) else { continue }
                    let slashStart = colonStart + colon.utf8CodeUnitCount
                    if slashStart == bytes.count || beginsSlashes(bytes, slashStart) { return true }
                }
            }
            return false
        case 0x2F, 0x5C, 0x25: return beginsSlashes(bytes, start) && bytes.mayPrecedeSlashes(at: start)
        default: return false
        }
    }

    private static func beginsSlashes(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        for text in slashForms where bytes.beginsUnfinished(text, start..<bytes.count) { return true }
        return false
    }
}

extension Span where Element == UInt8 {
    fileprivate func endsWith(_ text: StaticString, _ range: Range<Int>) -> Bool {
        let start = range.upperBound - text.utf8CodeUnitCount
        return start >= range.lowerBound && isText(text, in: start..<range.upperBound)
    }

    /// Whether the range is the beginning of `text`, but not all of it.
    fileprivate func beginsUnfinished(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count < text.utf8CodeUnitCount else { return false }
        for index in range where ByteSearch.lowercased(self[index]) != text.utf8Start[index - range.lowerBound] {
            return false
        }
        return true
    }
}
