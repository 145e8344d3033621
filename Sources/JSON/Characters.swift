func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

func hex(_ value: some BinaryInteger, digits: Int = 2) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// The offset of the first sequence that is not UTF-8 (RFC 3629: no overlong forms, no surrogates, no more than U+10FFFF).
func firstInvalidUTF8(_ bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { firstInvalidUTF8($0) }
}

private func firstInvalidUTF8(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var at = 0
    while at < bytes.count {
        // Most texts are ASCII for the most part, eight bytes of which are seen at once.
        while at + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            at += 8
        }
        guard at < bytes.count else { break }
        let lead = bytes[at]
        if lead < 0x80 {
            at += 1
            continue
        }
        let length: Int
        // The second byte's range rules out overlong forms and surrogates.
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return at
        }
        guard at + length <= bytes.count, second.contains(bytes[at + 1]) else { return at }
        for follower in bytes[(at + 2)..<(at + length)] where follower & 0xC0 != 0x80 { return at }
        at += length
    }
    return nil
}
