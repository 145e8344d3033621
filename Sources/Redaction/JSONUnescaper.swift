import Bytes

/// Takes the escapes out of a JSON string (RFC 8259 7), byte by byte.
struct JSONUnescaper {
    private enum State {
        case plain
        case backslash
        case unicode(left: Int, value: UInt32)
    }

    private var state = State.plain
    /// The first half of a surrogate pair.
    private var high: UInt32?

    /// Whether the next byte belongs to an escape that has begun.
    var isInside: Bool {
        if case .plain = state { false } else { true }
    }

    mutating func feed(_ byte: UInt8, into out: inout [UInt8]) {
        switch state {
        case .plain where byte == UInt8(ascii: "\\"): state = .backslash
        case .plain: literal(byte, into: &out)
        case .backslash:
            state = .plain
            switch byte {
            case UInt8(ascii: "u"): state = .unicode(left: 4, value: 0)
            case UInt8(ascii: "n"): literal(0x0A, into: &out)
            case UInt8(ascii: "t"): literal(0x09, into: &out)
            case UInt8(ascii: "r"): literal(0x0D, into: &out)
            case UInt8(ascii: "b"): literal(0x08, into: &out)
            case UInt8(ascii: "f"): literal(0x0C, into: &out)
            default: literal(byte, into: &out)
            }
        case .unicode(let left, let value):
            guard let digit = ByteSearch.hexDigit(byte) else {
                state = .plain
                feed(byte, into: &out)
                return
            }
            let value = value &<< 4 | UInt32(digit)
            if left > 1 {
                state = .unicode(left: left - 1, value: value)
            } else {
                state = .plain
                unit(value, into: &out)
            }
        }
    }

    /// Writes a surrogate that still waits for its other half.
    mutating func finish(into out: inout [UInt8]) {
        if let lone = high { encode(lone, into: &out) }
        high = nil
        state = .plain
    }

    private mutating func literal(_ byte: UInt8, into out: inout [UInt8]) {
        if let lone = high {
            encode(lone, into: &out)
            high = nil
        }
        out.append(byte)
    }

    private mutating func unit(_ value: UInt32, into out: inout [UInt8]) {
        if let first = high {
            high = nil
            if value &- 0xDC00 < 0x400 {
                encode(0x10000 + ((first - 0xD800) &<< 10) + (value - 0xDC00), into: &out)
                return
            }
            encode(first, into: &out)
        }
        if value &- 0xD800 < 0x400 { high = value } else { encode(value, into: &out) }
    }

    /// Lone surrogates are encoded like other values, which suffices for a digest.
    private func encode(_ value: UInt32, into out: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value &>> shift) & 0x3F }
        switch value {
        case ..<0x80: out.append(UInt8(truncatingIfNeeded: value))
        case ..<0x800: out += [0xC0 | UInt8(truncatingIfNeeded: value &>> 6), tail(0)]
        case ..<0x10000: out += [0xE0 | UInt8(truncatingIfNeeded: value &>> 12), tail(6), tail(0)]
        default: out += [0xF0 | UInt8(truncatingIfNeeded: value &>> 18) & 7, tail(12), tail(6), tail(0)]
        }
    }
}
