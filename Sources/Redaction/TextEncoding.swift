import Bytes

/// How a text is written down, so that secrets are found through its escapes.
enum TextEncoding {
    case plain
    /// Within a string of JSON (RFC 8259 7).
    case json
    /// In a form or a URL (RFC 3986 2.1).
    case form

    /// The byte that begins an escape.
    var escape: UInt8? {
        switch self {
        case .plain: nil
        case .json: UInt8(ascii: "\\")
        case .form: UInt8(ascii: "%")
        }
    }

    /// The byte that stands at a place, and how many bytes it is written with; 0xFF is any beyond ASCII.
    @inline(__always)
    func unit(_ bytes: Span<UInt8>, _ index: Int, to end: Int) -> (byte: UInt8, count: Int) {
        let byte = bytes[index]
        switch self {
        case .plain: return (byte, 1)
        case .json: return byte == UInt8(ascii: "\\") ? Self.backslash(bytes, index, to: end) : (byte, 1)
        case .form:
            if byte == UInt8(ascii: "+") { return (0x20, 1) }
            guard byte == UInt8(ascii: "%"), let meant = Self.percent(bytes, index, to: end) else { return (byte, 1) }
            return (meant, 3)
        }
    }

    private static func backslash(_ bytes: Span<UInt8>, _ index: Int, to end: Int) -> (byte: UInt8, count: Int) {
        guard index &+ 1 < end else { return (bytes[index], 1) }
        switch bytes[index &+ 1] {
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "f"), UInt8(ascii: "b"): return (0x0A, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"):
            guard index &+ 6 <= end, let value = hex(bytes, index &+ 2) else { return (bytes[index], 1) }
            return (UInt8(exactly: value) ?? 0xFF, 6)
        case let other: return (other, 2)
        }
    }

    /// Four hexadecimal digits.
    private static func hex(_ bytes: Span<UInt8>, _ start: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in start..<start &+ 4 {
            guard let digit = ByteSearch.hexDigit(bytes[index]) else { return nil }
            value = value &<< 4 | UInt32(digit)
        }
        return value
    }

    /// The byte that `%` and two digits stand for.
    static func percent(_ bytes: Span<UInt8>, _ index: Int, to end: Int) -> UInt8? {
        guard index &+ 2 < end, let high = ByteSearch.hexDigit(bytes[index &+ 1]),
            let low = ByteSearch.hexDigit(bytes[index &+ 2])
        else { return nil }
        return high &<< 4 | low
    }

    /// A text without its escapes; a plus sign stays.
    func plain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        guard let escape else {
            text.append(bytes, range)
            return text
        }
        var index = range.lowerBound
        while index < range.upperBound {
            let unit = bytes[index] == escape ? unit(bytes, index, to: range.upperBound) : (bytes[index], 1)
            text.append(unit.byte)
            index &+= unit.count
        }
        return text
    }

    func plain(_ bytes: [UInt8]) -> [UInt8] { bytes.withSpan { plain($0, 0..<bytes.count) } }

    /// What a string of JSON means; broken escapes are left out.
    static func string(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var index = range.lowerBound
        /// The first half of a surrogate pair.
        var high: UInt32?
        while true {
            let stop = ByteSearch.byte(UInt8(ascii: "\\"), in: bytes, from: index, to: range.upperBound)
            if stop > index || stop == range.upperBound, let lone = high {
                encode(lone, into: &text)
                high = nil
            }
            text.append(bytes, index..<stop)
            guard stop + 1 < range.upperBound else { return text }
            index = stop + 2
            let letter = bytes[stop + 1]
            guard letter == UInt8(ascii: "u") else {
                if let lone = high { encode(lone, into: &text) }
                high = nil
                text.append(meaning(of: letter))
                continue
            }
            guard index + 4 <= range.upperBound, let value = hex(bytes, index) else { continue }
            index += 4
            if let first = high {
                high = nil
                if value &- 0xDC00 < 0x400 {
                    encode(0x10000 + ((first - 0xD800) &<< 10) + (value - 0xDC00), into: &text)
                    continue
                }
                encode(first, into: &text)
            }
            if value &- 0xD800 < 0x400 { high = value } else { encode(value, into: &text) }
        }
    }

    private static func meaning(of letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        default: letter
        }
    }

    /// Lone surrogates are encoded like other values, which suffices for a digest.
    private static func encode(_ value: UInt32, into out: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value &>> shift) & 0x3F }
        switch value {
        case ..<0x80: out.append(UInt8(truncatingIfNeeded: value))
        case ..<0x800: out += [0xC0 | UInt8(truncatingIfNeeded: value &>> 6), tail(0)]
        case ..<0x10000: out += [0xE0 | UInt8(truncatingIfNeeded: value &>> 12), tail(6), tail(0)]
        default: out += [0xF0 | UInt8(truncatingIfNeeded: value &>> 18) & 7, tail(12), tail(6), tail(0)]
        }
    }
}

extension UInt8 {
    /// Whether it is one of the bytes of a short text.
    @inline(__always)
    func isOne(of text: StaticString) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where text.utf8Start[index] == self { return true }
        return false
    }
}
