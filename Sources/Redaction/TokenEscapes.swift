import Bytes

/// Escapes in a text that a ``TokenScanner`` reads, taken apart so that each byte keeps what it was written as.
struct TokenEscapes {
    /// The byte that begins an escape; nil if the text has no escapes.
    let mark: UInt8?
    /// An escape that has begun.
    private(set) var raw: [UInt8] = []
    private let encoding: TokenScanner.Encoding
    private var ready = false

    init(encoding: TokenScanner.Encoding) {
        self.encoding = encoding
        mark =
            switch encoding {
            case .plain: nil
            case .json: UInt8(ascii: "\\")
            case .form: UInt8(ascii: "%")
            }
    }

    mutating func removeAll() {
        raw.removeAll(keepingCapacity: true)
        ready = false
    }

    mutating func feed(_ byte: UInt8) {
        raw.append(byte)
        ready = true
    }

    /// A byte and how it was written; nil when more must be read first.
    mutating func next() -> (byte: UInt8, raw: ArraySlice<UInt8>)? {
        guard ready, let first = raw.first else { return nil }
        guard first == mark else { return take(1, as: encoding == .form && first == UInt8(ascii: "+") ? 0x20 : first) }
        return encoding == .json ? nextJSON() : nextPercent()
    }

    private mutating func nextJSON() -> (byte: UInt8, raw: ArraySlice<UInt8>)? {
        guard raw.count > 1 else { return wait() }
        guard raw[1] == UInt8(ascii: "u") else {
            switch raw[1] {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "f"), UInt8(ascii: "b"): return take(2, as: 0x0A)
            case UInt8(ascii: "t"): return take(2, as: 0x09)
            default: return take(2, as: raw[1])
            }
        }
        var value = 0
        for digit in raw.dropFirst(2) {
            guard let digit = ByteSearch.hexDigit(digit) else { return take(1, as: first) }
            value = value << 4 | Int(digit)
        }
        guard raw.count == 6 else { return wait() }
        // No token holds anything but ASCII: all else may stand for itself.
        return take(6, as: UInt8(exactly: value) ?? 0xFF)
    }

    private mutating func nextPercent() -> (byte: UInt8, raw: ArraySlice<UInt8>)? {
        guard raw.count > 1 else { return wait() }
        guard let high = ByteSearch.hexDigit(raw[1]) else { return take(1, as: first) }
        guard raw.count > 2 else { return wait() }
        guard let low = ByteSearch.hexDigit(raw[2]) else { return take(1, as: first) }
        return take(3, as: high &<< 4 | low)
    }

    private var first: UInt8 { raw.first ?? 0 }

    private mutating func wait() -> (byte: UInt8, raw: ArraySlice<UInt8>)? {
        ready = false
        return nil
    }

    private mutating func take(_ count: Int, as byte: UInt8) -> (byte: UInt8, raw: ArraySlice<UInt8>) {
        let taken = raw.prefix(count)
        raw.removeFirst(count)
        ready = !raw.isEmpty
        return (byte, taken)
    }
}
