/// Steps over values of strict JSON and makes nothing of them, ten times as fast as they are read.
///
/// It says only whether there is a value: what is wrong ``JSONReader`` tells. Escapes of strings are not looked into, so
/// that half of a surrogate pair passes.
struct JSONSkipper {
    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    var at: Int
    /// Escapes that were stepped over.
    private(set) var escapes = 0
    /// Whether the last number had neither fraction nor exponent.
    private(set) var isWhole = false

    /// Nothing if there are no bytes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, at: Int) {
        guard let base = bytes.baseAddress else { return nil }
        (self.bytes, count, self.at) = (base, bytes.count, at)
    }

    /// 0 at the end, which no text has in its place.
    @inline(__always)
    var peek: UInt8 { at < count ? bytes[at] : 0 }

    @inline(__always)
    mutating func skipSpace() {
        while at < count, bytes[at] <= 0x20,
            bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09
        {
            at += 1
        }
    }

    /// Steps over a byte; false where there is another one.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    /// - Parameter depth: how deep arrays and objects may still nest.
    mutating func skipValue(_ depth: Int) -> Bool {
        skipSpace()
        switch peek {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"):
            at += 1
            skipSpace()
            if take(UInt8(ascii: "}")) { return depth > 0 }
            repeat {
                skipSpace()
                guard depth > 0, skipKey(), skipValue(depth - 1) else { return false }
                skipSpace()
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            at += 1
            skipSpace()
            if take(UInt8(ascii: "]")) { return depth > 0 }
            repeat {
                guard depth > 0, skipValue(depth - 1) else { return false }
                skipSpace()
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "]"))
        case UInt8(ascii: "t"): return skipWord("true")
        case UInt8(ascii: "f"): return skipWord("false")
        case UInt8(ascii: "n"): return skipWord("null")
        default: return skipNumber()
        }
    }

    /// A key with its colon.
    @inline(__always)
    mutating func skipKey() -> Bool {
        guard peek == UInt8(ascii: "\""), skipString() else { return false }
        skipSpace()
        return take(UInt8(ascii: ":"))
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// A string from its opening quote on, eight bytes at a time.
    mutating func skipString() -> Bool {
        var index = at + 1
        while index + 8 <= count {
            let word = UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
            let (quote, escape) = (word ^ (Self.ones &* 0x22), word ^ (Self.ones &* 0x5C))
            // The top bit of a byte that is a quote, a backslash, or below a space; of those behind one maybe, too.
            let found =
                ((quote &- Self.ones) & ~quote | (escape &- Self.ones) & ~escape | (word &- Self.ones &* 0x20) & ~word)
                & Self.tops
            guard found == 0 else {
                index += UInt64(littleEndian: found).trailingZeroBitCount / 8
                break
            }
            index += 8
        }
        while index < count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                at = index + 1
                return true
            case UInt8(ascii: "\\"):
                guard index + 1 < count, isEscape(bytes[index + 1]) else { return false }
                escapes += 1
                index += 2
            case 0..<0x20: return false
            default: index += 1
            }
        }
        return false
    }

    private func isEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "u"):
            true
        default: false
        }
    }

    mutating func skipWord(_ word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount {
            guard at + index < count, bytes[at + index] == word.utf8Start[index] else { return false }
        }
        at += word.utf8CodeUnitCount
        return isAtEndOfWord
    }

    mutating func skipNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !skipDigits() { return false }
        let end = at
        if take(UInt8(ascii: ".")), !skipDigits() { return false }
        if peek | 0x20 == UInt8(ascii: "e") {
            at += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            if !skipDigits() { return false }
        }
        isWhole = at == end
        return isAtEndOfWord
    }

    @inline(__always)
    private mutating func skipDigits() -> Bool {
        let start = at
        while at < count, bytes[at] &- 0x30 < 10 { at += 1 }
        return at > start
    }

    private var isAtEndOfWord: Bool {
        switch peek {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: true
        default: at == count
        }
    }
}
