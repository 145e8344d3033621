extension PatternParser {
    var isAtQuantifier: Bool {
        switch peek() {
        case "*", "+", "?": true
        case "{": braces() != nil
        default: false
        }
    }

    /// How often what stands before is to be found; nil when nothing is said of it.
    mutating func quantifier() throws(PatternFailure) -> (minimum: Int, maximum: Int?)? {
        let start = offset
        let counts: (Int, Int?)
        switch peek() {
        case "*": counts = (0, nil)
        case "+": counts = (1, nil)
        case "?": counts = (0, 1)
        case "{":
            guard let braces = braces() else { return nil }
            if max(braces.minimum, braces.maximum ?? 0) > Self.maxRepeated {
                throw failure("a number that is too large", expected: "at most \(Self.maxRepeated)")
            }
            if let maximum = braces.maximum, maximum < braces.minimum {
                throw failure("a range that ends before it starts", expected: "{\(maximum),\(braces.minimum)}")
            }
            counts = (braces.minimum, braces.maximum)
            skip(braces.length - 1)
        default: return nil
        }
        skip(1)
        // Whether it takes as little as it can does not change whether there is a match.
        _ = take("?")
        if isAtQuantifier { throw failure("repeated twice", at: start, expected: "parentheses around the first") }
        return counts
    }

    /// `{2}`, `{2,}`, `{,5}` or `{2,5}`; anything else in braces is text.
    private func braces() -> (minimum: Int, maximum: Int?, length: Int)? {
        var index = 1
        func number() -> Int? {
            var value: Int?
            while let digit = peek(ahead: index).flatMap(\.decimalDigit) {
                value = min((value ?? 0) * 10 + digit, Self.maxRepeated + 1)
                index += 1
            }
            return value
        }
        let minimum = number()
        if isECMAScript, minimum == nil { return nil }
        guard peek(ahead: index) == "," else {
            guard let minimum, peek(ahead: index) == "}" else { return nil }
            return (minimum, minimum, index + 1)
        }
        index += 1
        let maximum = number()
        guard peek(ahead: index) == "}", minimum != nil || maximum != nil else { return nil }
        return (minimum ?? 0, maximum, index + 1)
    }
}

extension Character {
    /// 0 to 9, for an ASCII digit.
    package var decimalDigit: Int? {
        ("0"..."9" as ClosedRange<Character>).contains(self) && utf8.count == 1 ? wholeNumberValue : nil
    }
}
