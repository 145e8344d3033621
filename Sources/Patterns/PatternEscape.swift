/// The meaning of a backslash with the characters behind it.
enum PatternEscape {
    case byte(UInt8)
    case set(ByteSet)
    case assertion(PatternAssertion)

    /// Reads on after a backslash.
    init(taking parser: inout PatternParser, from start: Int) throws(PatternFailure) {
        guard let character = parser.take() else {
            throw parser.failure("a \\ with nothing behind it", at: start, expected: "\\\\ for a backslash to be found")
        }
        switch character {
        case "d": self = .set(.digits)
        case "D": self = .set(ByteSet.digits.inverted)
        case "w": self = .set(.word)
        case "W": self = .set(ByteSet.word.inverted)
        case "s": self = .set(.space)
        case "S": self = .set(ByteSet.space.inverted)
        case "b": self = .assertion(.wordBoundary)
        case "B": self = .assertion(.noWordBoundary)
        case "A": self = .assertion(.start)
        case "z", "Z": self = .assertion(.end)
        case "t": self = .byte(0x09)
        case "n": self = .byte(0x0A)
        case "v": self = .byte(0x0B)
        case "f": self = .byte(0x0C)
        case "r": self = .byte(0x0D)
        case "x":
            guard let high = parser.take()?.hexDigit, let low = parser.take()?.hexDigit else {
                throw parser.failure("\\x without two digits", at: start, expected: "\\x41")
            }
            self = .byte(high << 4 | low)
        case "1"..."9":
            throw parser.failure("a back-reference", at: start, expected: "what it refers to, once more")
        default:
            guard let byte = character.utf8.first, character.utf8.count == 1, !ByteSet.word.contains(byte) else {
                throw parser.failure(
                    "unknown escape \\\(character)", at: start,
                    expected: "\\d, \\w, \\s, \\b, \\t, \\n, \\r, \\xHH or a punctuation mark")
            }
            self = .byte(byte)
        }
    }
}

extension Character {
    fileprivate var hexDigit: UInt8? {
        utf8.count == 1 ? hexDigitValue.flatMap(UInt8.init(exactly:)) : nil
    }
}
