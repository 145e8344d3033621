extension PatternParser {
    /// The set between brackets, the first of which was read.
    mutating func brackets(from start: Int) throws(PatternFailure) -> ByteSet {
        let isInverted = take("^")
        var set = ByteSet()
        var isFirst = true
        while true {
            let index = offset
            guard let character = take() else {
                throw failure("a [ without its ]", at: start, expected: "a closing ], or \\[ for a bracket to be found")
            }
            if character == "]", !isFirst { break }
            isFirst = false
            guard let low = try member(character, from: index, into: &set) else { continue }
            guard peek() == "-", let end = peek(ahead: 1), end != "]" else {
                set.insert(low)
                continue
            }
            skip(2)
            var ignored = ByteSet()
            guard let high = try member(end, from: offset - 1, into: &ignored), low <= high else {
                throw failure("a range without order", at: index, expected: "a range like a-z; \\- for a hyphen")
            }
            for byte in low...high { set.insert(byte) }
        }
        let folded = set.foldingCase
        return isInverted ? folded.inverted : folded
    }

    /// A single byte, or nil for a class that went into the set.
    private mutating func member(
        _ character: Character, from index: Int, into set: inout ByteSet
    ) throws(PatternFailure) -> UInt8? {
        if character == "\\" {
            switch try PatternEscape(taking: &self, from: index) {
            case .byte(let byte): return byte
            case .set(let other):
                set = set.union(other)
                return nil
            case .assertion:
                throw failure(
                    "nothing that brackets could hold", at: index, expected: "a character or a class like \\d")
            }
        }
        guard character.utf8.count == 1, let byte = character.utf8.first else {
            throw failure(
                "\(character) in brackets", at: index, expected: "ASCII there, and (a|b) for other characters")
        }
        return byte
    }
}
