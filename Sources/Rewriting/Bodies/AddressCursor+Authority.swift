extension AddressCursor {
    enum Port {
        /// The host goes on, or is not one.
        case no
        case unknown
        /// None is named.
        case implied
        case port(UInt16)
    }

    /// From the end of a host to the end of its authority.
    mutating func readPort(_ bytes: Span<UInt8>) -> Port {
        let (character, next) = peek(bytes)
        guard case .byte(0x3A) = character else { return ended(bytes) ?? .implied }
        var digits = self
        digits.position = next
        var number: UInt32?
        while true {
            let (character, next) = digits.peek(bytes)
            switch character {
            case .unknown: return .unknown
            case .byte(let byte) where byte &- 0x30 < 10:
                number = (number ?? 0) * 10 + UInt32(byte &- 0x30)
                guard let number, number <= UInt32(UInt16.max), number > 0 else { return .no }
                digits.position = next
                continue
            case .byte(0x2F), .byte(0x3F), .byte(0x23):
                // An empty port is the scheme's own, and goes with its colon (RFC 3986 3.2.3).
                self = digits
                return number.map { .port(UInt16(truncatingIfNeeded: $0)) } ?? .implied
            default: break
            }
            guard let number else { return digits.isText(character) ? .implied : .no }
            if let failure = digits.ended(bytes) { return failure }
            self = digits
            return .port(UInt16(truncatingIfNeeded: number))
        }
    }

    /// Whether a colon in front of it ended a clause.
    ///
    /// Anything else might begin a password or, joined by a program, a port.
    private func isText(_ character: Character) -> Bool {
        switch character {
        case .byte(0x20), .byte(0x09), .byte(0x0A), .byte(0x0D), .byte(0x3C), .end: true
        default: false
        }
    }

    /// nil if the authority ends here.
    private func ended(_ bytes: Span<UInt8>) -> Port? {
        let (character, next) = peek(bytes)
        switch character {
        case .unknown: return .unknown
        case .end: return nil
        case .byte(0x2E):
            var behind = self
            behind.position = next
            switch behind.peek(bytes).character {
            case .unknown: return .unknown
            case .end: return nil
            // A host with a final dot, which the replacement could not have behind its port.
            case .byte(0x2F), .byte(0x3A), .byte(0x3F), .byte(0x23), .byte(0x40): return .no
            case .byte(let byte): return isHostByte(byte) ? .no : nil
            }
        case .byte(let byte): return byte == 0x40 || byte == 0x3A || isHostByte(byte) ? .no : nil
        }
    }
}
