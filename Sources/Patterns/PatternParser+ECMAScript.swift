/// ECMAScript's classes and escapes, in which a character is a Unicode scalar.
extension PatternParser {
    /// What a backslash means in ECMAScript.
    private enum Escape {
        case scalar(UInt32)
        case set(ScalarSet)
        case assertion(PatternAssertion)
    }

    /// Steps over the name of a group; false if there is none.
    mutating func takeName() -> Bool {
        guard isECMAScript, peek() == "<", let first = peek(ahead: 1), first != "=", first != "!" else { return false }
        while let character = take() {
            if character == ">" { return true }
        }
        return false
    }

    mutating func characterEscape(from start: Int) throws(PatternFailure) -> PatternNode {
        switch try escape(from: start, isInClass: false) {
        case .scalar(let scalar): .exactly(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}"))
        case .set(let set): set.node
        case .assertion(let assertion): .assertion(assertion)
        }
    }

    /// The set between brackets, the first of which was read.
    mutating func characterClass(from start: Int) throws(PatternFailure) -> ScalarSet {
        let isInverted = take("^")
        var set = ScalarSet()
        while true {
            let index = offset
            guard let character = take() else {
                throw failure("a [ without its ]", at: start, expected: "a closing ], or \\[ for a bracket to be found")
            }
            if character == "]" { break }
            guard let low = try member(character, from: index, into: &set) else { continue }
            guard peek() == "-", let end = peek(ahead: 1), end != "]" else {
                set.insert(low...low)
                continue
            }
            skip(2)
            var ignored = ScalarSet()
            guard let high = try member(end, from: offset - 1, into: &ignored), low <= high else {
                throw failure("a range without order", at: index, expected: "a range like a-z; \\- for a hyphen")
            }
            set.insert(low...high)
        }
        return isInverted ? set.inverted : set
    }

    /// A single character, or nil for a class that went into the set.
    private mutating func member(
        _ character: Character, from index: Int, into set: inout ScalarSet
    ) throws(PatternFailure) -> UInt32? {
        guard character == "\\" else { return character.unicodeScalars.first?.value }
        switch try escape(from: index, isInClass: true) {
        case .scalar(let scalar): return scalar
        case .set(let other) where set.insert(other): return nil
        case .set:
            throw failure("\\P in brackets", at: index, expected: "\\p{…} there, or [^\\p{…}]")
        case .assertion:
            throw failure("nothing that brackets could hold", at: index, expected: "a character or a class like \\d")
        }
    }

    private mutating func escape(from start: Int, isInClass: Bool) throws(PatternFailure) -> Escape {
        guard let character = take() else {
            throw failure("a \\ with nothing behind it", at: start, expected: "\\\\ for a backslash to be found")
        }
        switch character {
        case "d": return .set(.digits)
        case "D": return .set(ScalarSet.digits.inverted)
        case "w": return .set(.word)
        case "W": return .set(ScalarSet.word.inverted)
        case "s": return .set(.space)
        case "S": return .set(ScalarSet.space.inverted)
        case "b": return isInClass ? .scalar(8) : .assertion(.wordBoundary)
        case "B": return .assertion(.noWordBoundary)
        case "t": return .scalar(9)
        case "n": return .scalar(10)
        case "v": return .scalar(11)
        case "f": return .scalar(12)
        case "r": return .scalar(13)
        case "0" where peek()?.decimalDigit == nil: return .scalar(0)
        case "c":
            guard let letter = take()?.asciiValue, (letter | 0x20) &- 0x61 < 26 else {
                throw failure("\\c without a letter", at: start, expected: "\\cA to \\cZ")
            }
            return .scalar(UInt32(letter & 0x1F))
        case "x": return .scalar(try hexadecimal(2, from: start))
        case "u": return .scalar(try unicode(from: start))
        case "p", "P": return .set(try categories(from: start, isInverted: character == "P"))
        case "1"..."9", "k":
            throw failure("a back-reference", at: start, expected: "what it refers to, once more")
        default:
            guard let scalar = character.unicodeScalars.first,
                scalar.value >= 0x80 || !ByteSet.word.contains(UInt8(truncatingIfNeeded: scalar.value))
            else {
                throw failure(
                    "unknown escape \\\(character)", at: start,
                    expected: "\\d, \\w, \\s, \\b, \\t, \\n, \\r, \\xHH, \\uHHHH, \\p{L} or a punctuation mark")
            }
            return .scalar(scalar.value)
        }
    }

    private mutating func hexadecimal(_ count: Int, from start: Int) throws(PatternFailure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let character = take(), character.utf8.count == 1, let digit = character.hexDigitValue else {
                throw failure("an escape without \(count) digits", at: start, expected: "hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// `\u0041`, `\u{1F600}`, or both halves of a surrogate pair.
    private mutating func unicode(from start: Int) throws(PatternFailure) -> UInt32 {
        var value: UInt32 = 0
        if take("{") {
            while let digit = peek()?.hexDigitValue, value <= 0x10FFFF {
                value = value << 4 | UInt32(digit)
                skip(1)
            }
            guard take("}") else { throw failure("\\u{ without its }", at: start, expected: "\\u{1F600}") }
        } else {
            value = try hexadecimal(4, from: start)
            if 0xD800..<0xDC00 ~= value, take("\\"), take("u") {
                let low = try hexadecimal(4, from: start)
                if 0xDC00..<0xE000 ~= low { value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) }
            }
        }
        guard Unicode.Scalar(value) != nil else {
            throw failure("\\u with no character", at: start, expected: "a Unicode character")
        }
        return value
    }

    private mutating func categories(from start: Int, isInverted: Bool) throws(PatternFailure) -> ScalarSet {
        var name = ""
        if take("{") {
            while let character = take(), character != "}" { name.append(character) }
        }
        for prefix in ["gc=", "General_Category="] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        let categories = ScalarSet.categories(named: name)
        guard !categories.isEmpty else {
            throw failure(
                "\\p{\(name)}", at: start,
                expected: "a general category such as L, Lu, Letter or Nd; scripts are not supported")
        }
        return isInverted ? ScalarSet(categories).inverted : ScalarSet(categories)
    }
}

extension ScalarSet {
    /// The cheapest node for it.
    var node: PatternNode { hasOthers ? .scalar(self) : .set(ascii) }
}

extension PatternNode {
    /// A character in its own case: nodes of bytes stand for both.
    static func exactly(_ character: Character) -> PatternNode {
        if let letter = character.asciiValue, (letter | 0x20) &- 0x61 < 26 { return .set(ByteSet([letter])) }
        return .bytes(Array(character.utf8))
    }
}
