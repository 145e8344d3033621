import Bytes

/// The replacement of a secret: `<redacted:name:digest>`, also escaped as in a URL.
public struct Replacement: Sendable, Hashable {
    public let name: String
    public let digest: String

    private static let mark = Array("redacted".utf8)
    /// The maximum length of one.
    package static let longest = 72

    /// Whether the bytes may contain one.
    package static func isMentioned(in bytes: [UInt8]) -> Bool { next(in: bytes, from: 0) != nil }

    /// A part of a text that is cut at its replacements.
    package enum Part: Equatable {
        case text(String)
        case secret(Replacement)
    }

    package static func parts(of text: String) -> [Part] {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var at = 0
        for (place, replacement) in places(in: bytes) {
            if place.lowerBound > at {
                parts.append(.text(String(decoding: bytes[at..<place.lowerBound], as: UTF8.self)))
            }
            parts.append(.secret(replacement))
            at = place.upperBound
        }
        if at < bytes.count { parts.append(.text(String(decoding: bytes[at...], as: UTF8.self))) }
        return parts
    }

    /// Each different one, in the order of the text.
    public static func all(in bytes: [UInt8]) -> [Replacement] {
        var seen: Set<Replacement> = []
        return places(in: bytes).map(\.replacement).filter { seen.insert($0).inserted }
    }

    package static func places(in bytes: [UInt8]) -> [(place: Range<Int>, replacement: Replacement)] {
        var found: [(place: Range<Int>, replacement: Replacement)] = []
        var at = 0
        while let one = next(in: bytes, from: at) {
            found.append(one)
            at = one.place.upperBound
        }
        return found
    }

    private static func next(in bytes: [UInt8], from start: Int) -> (place: Range<Int>, replacement: Replacement)? {
        var at = start
        while true {
            at = bytes.withSpan {
                ByteSearch.either(UInt8(ascii: "<"), UInt8(ascii: "%"), in: $0, from: at, to: $0.count)
            }
            guard at < bytes.count else { return nil }
            // Most of them are tags, and escapes of other characters.
            let second = at + 1 < bytes.count ? bytes[at + 1] : 0
            guard second == (bytes[at] == UInt8(ascii: "<") ? mark[0] : UInt8(ascii: "3")) else {
                at += 1
                continue
            }
            if let one = read(bytes, at) { return (at..<one.end, one.replacement) }
            at += 1
        }
    }

    private static func read(_ bytes: [UInt8], _ start: Int) -> (replacement: Replacement, end: Int)? {
        var at = start
        guard skip("<", "%3C", bytes, &at), bytes[at...].starts(with: mark) else { return nil }
        at += mark.count
        guard skip(":", "%3A", bytes, &at) else { return nil }
        let name = bytes[at...].prefix(33, while: { $0 == 0x2D || $0 == 0x5F || $0 &- 0x30 < 10 || $0 &- 0x61 < 26 })
        at += name.count
        guard (1...32).contains(name.count), skip(":", "%3A", bytes, &at) else { return nil }
        let digest = bytes[at...].prefix(10, while: { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 })
        at += digest.count
        guard digest.count == 10, skip(">", "%3E", bytes, &at) else { return nil }
        return (
            Replacement(name: String(decoding: name, as: UTF8.self), digest: String(decoding: digest, as: UTF8.self)),
            at
        )
    }

    private static func skip(_ plain: StaticString, _ escaped: StaticString, _ bytes: [UInt8], _ at: inout Int) -> Bool
    {
        for text in [plain, escaped] {
            let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            guard bytes[at...].starts(with: wanted, by: { ByteSearch.lowercased($0) == ByteSearch.lowercased($1) })
            else { continue }
            at += wanted.count
            return true
        }
        return false
    }
}

extension ArraySlice<UInt8> {
    fileprivate func prefix(_ limit: Int, while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        prefix(limit).prefix(while: isPart)
    }
}
