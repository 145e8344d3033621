import Bytes

/// Reads the text behind an address's slashes character by character, with the escapes of its form undone.
struct AddressCursor {
    /// A character: an ASCII byte, or one from 0x80 on for all that is not ASCII.
    enum Character {
        case byte(UInt8)
        /// The body is over.
        case end
        /// More bytes have to come before it is known.
        case unknown
    }

    var position: Int
    let form: Slashes.Form
    /// Nothing follows the bytes.
    let isAtEnd: Bool

    /// The character here, and where the next one begins.
    func peek(_ bytes: Span<UInt8>) -> (character: Character, next: Int) {
        guard position < bytes.count else { return (isAtEnd ? .end : .unknown, position) }
        let byte = bytes[position]
        switch byte {
        case 0x25 where form == .percent: return percentEscape(bytes)
        case 0x5C: return backslashEscape(bytes)
        default: return (.byte(byte), position + 1)
        }
    }

    private func percentEscape(_ bytes: Span<UInt8>) -> (Character, Int) {
        guard position + 2 < bytes.count else { return shortened(0x25) }
        guard let value = bytes.hexByte(at: position + 1) else { return (.byte(0x25), position + 1) }
        return (.byte(value), position + 3)
    }

    private func backslashEscape(_ bytes: Span<UInt8>) -> (Character, Int) {
        guard position + 1 < bytes.count else { return shortened(0x5C) }
        let letter = bytes[position + 1]
        switch letter {
        case 0x75:
            guard position + 5 < bytes.count else { return shortened(0x5C) }
            return bytes.hexUnit(at: position + 2).map { (.byte($0), position + 6) } ?? (.byte(0x5C), position + 1)
        case 0x78:
            guard position + 3 < bytes.count else { return shortened(0x5C) }
            return bytes.hexByte(at: position + 2).map { (.byte($0), position + 4) } ?? (.byte(0x5C), position + 1)
        case 0x2F, 0x22, 0x27: return (.byte(letter), position + 2)
        default: return (.byte(isBlankEscape(letter) ? 0x20 : 0x5C), position + 2)
        }
    }

    /// For an escape that the bytes break off in.
    private func shortened(_ byte: UInt8) -> (Character, Int) {
        isAtEnd ? (.byte(byte), position + 1) : (.unknown, position)
    }
}

/// A byte that a host may hold; what is not ASCII may be part of an internationalised one.
@inline(__always)
func isHostByte(_ byte: UInt8) -> Bool {
    let letter = ByteSearch.lowercased(byte)
    return letter &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2D || byte == 0x5F || byte == 0x25 || byte >= 0x80
}

/// A byte that a path's segment goes on with; ".", which may also end a sentence, aside.
@inline(__always)
func isSegmentByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x7E, 0x2B, 0x40, 0x3A, 0x3D, 0x24, 0x21, 0x2A: true  // "~+@:=$!*"
    default: isHostByte(byte)
    }
}
