/// One pass over a name: a hash of its letters and digits, and the secret words in it.
struct NameScan {
    /// The hash of a name without a letter.
    static let empty: UInt64 = 0xCBF2_9CE4_8422_2325

    private(set) var hash = empty
    /// The hash of the part behind the last opening bracket, dot or colon.
    private(set) var lastPart = empty
    /// The hashes of the last word and of the last two: words end at separators and before capitals.
    private(set) var lastWord = empty
    private(set) var lastWords = empty
    private(set) var hasSecretWord = false
    private(set) var hasSession = false
    private(set) var hasSignature = false
    private(set) var isRateLimit = false

    /// The hash alone.
    static func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash = empty
        for index in 0..<name.count {
            let byte = name[index]
            if byte < 0x30 || byte == 0x5F || byte == 0x5B || byte == 0x5D || byte == 0x3A { continue }
            hash = (hash ^ UInt64(byte &- 0x41 < 26 ? byte | 0x20 : byte)) &* 0x100_0000_01B3
        }
        return hash
    }

    @inline(__always)
    init(_ name: Span<UInt8>) {
        var window: UInt64 = 0
        var isNewWord = false
        var wasCapital = true
        for index in 0..<name.count {
            var byte = name[index]
            if byte &- 0x41 < 26 {
                byte |= 0x20
                if !wasCapital { isNewWord = true }
                wasCapital = true
            } else if byte < 0x30 || byte == 0x5F || byte == 0x5B || byte == 0x5D || byte == 0x3A {
                if byte == 0x5B || byte == 0x2E || byte == 0x3A { lastPart = Self.empty }
                isNewWord = true
                continue
            } else {
                wasCapital = false
            }
            if isNewWord {
                (lastWords, lastWord) = (lastWord, Self.empty)
                isNewWord = false
            }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            lastPart = (lastPart ^ UInt64(byte)) &* 0x100_0000_01B3
            lastWord = (lastWord ^ UInt64(byte)) &* 0x100_0000_01B3
            lastWords = (lastWords ^ UInt64(byte)) &* 0x100_0000_01B3
            window = window &<< 8 | UInt64(byte)
            switch byte {
            case UInt8(ascii: "n"):
                if window & 0xFF_FFFF_FFFF == 0x74_6F6B_656E { hasSecretWord = true }  // token
                if window & 0xFF_FFFF_FFFF_FFFF == 0x73_6573_7369_6F6E { hasSession = true }
            case UInt8(ascii: "t"):
                if window & 0xFFFF_FFFF_FFFF == 0x7365_6372_6574 { hasSecretWord = true }  // secret
                if window == 0x6174_656C_696D_6974 { isRateLimit = true }  // (r)atelimit
            case UInt8(ascii: "d"):
                if window == 0x7061_7373_776F_7264 { hasSecretWord = true }  // password
                if window & 0xFFFF_FFFF_FFFF == 0x7061_7373_7764 { hasSecretWord = true }  // passwd
            case UInt8(ascii: "y"):
                if window & 0xFFFF_FFFF_FFFF == 0x6170_696B_6579 { hasSecretWord = true }  // apikey
            case UInt8(ascii: "e"):
                if window == 0x6967_6E61_7475_7265 { hasSignature = true }  // (s)ignature
            case UInt8(ascii: "c"):
                if window & 0xFFFF_FFFF == 0x686D_6163 { hasSignature = true }  // hmac
            case UInt8(ascii: "l"):
                if window == 0x6564_656E_7469_616C { hasSecretWord = true }  // (cr)edential
            default: break
            }
        }
    }
}
