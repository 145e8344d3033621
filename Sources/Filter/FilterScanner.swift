/// Takes a filter's text apart: operators, names, words and quoted text.
struct FilterScanner {
    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        characters = Array(text)
    }

    /// The place of the next character, from 1.
    var column: Int { position + 1 }

    /// The next character that is not space; it is not taken.
    mutating func peek() -> Character? {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
        return position < characters.count ? characters[position] : nil
    }

    mutating func take(_ wanted: Character) -> Bool {
        guard peek() == wanted else { return false }
        position += 1
        return true
    }

    /// The name behind a tilde: ASCII letters and digits.
    mutating func takeName() -> String {
        let start = position
        while position < characters.count, characters[position].isNamePart { position += 1 }
        return String(characters[start..<position])
    }

    /// An operator's argument; nil if there is none.
    ///
    /// - Parameter endsAtOperators: `&`, `|` and `)` cannot be part of it.
    mutating func takeArgument(endsAtOperators: Bool = false) throws(FilterFailure) -> FilterArgument? {
        guard let next = peek(), next != "~", next != ")" else { return nil }
        if next == "\"" || next == "'" { return try takeQuoted() }
        if next == "&" || next == "|" {
            let isAlone = position + 1 == characters.count || characters[position + 1].isWhitespace
            if isAlone || endsAtOperators || characters[position + 1] == "~" { return nil }
        }
        return try takeWord(endsAtOperators: endsAtOperators)
    }

    /// A word ends at space, and at a parenthesis that was not opened in it.
    ///
    /// `&` and `|` are part of it, as of a query string or a regular expression, unless a tilde follows.
    private mutating func takeWord(endsAtOperators: Bool) throws(FilterFailure) -> FilterArgument {
        var word = FilterArgument(at: column)
        var depth = 0
        var isBracketed = false
        scan: while position < characters.count, !characters[position].isWhitespace {
            let character = characters[position]
            switch character {
            case "\\":
                append(to: &word)
                guard position < characters.count, !characters[position].isWhitespace else { break scan }
            case "[": isBracketed = true
            case "]": isBracketed = false
            case _ where isBracketed: break
            case "(": depth += 1
            case ")":
                guard depth > 0 else { break scan }
                depth -= 1
            case "&", "|":
                let isBeforeTilde = position + 1 < characters.count && characters[position + 1] == "~"
                if endsAtOperators || isBeforeTilde { break scan }
            case "\"", "'":
                throw FilterFailure(
                    "a quote within a word", column: column,
                    expected: "quotes around all of it, or \\\(character) for a quote to be found")
            default: break
            }
            append(to: &word)
        }
        word.end = column
        return word
    }

    /// In quotes a backslash before the same quote stands for the quote, and any other is kept.
    private mutating func takeQuoted() throws(FilterFailure) -> FilterArgument {
        let quote = characters[position]
        let start = column
        position += 1
        var argument = FilterArgument(at: start)
        while position < characters.count {
            if characters[position] == quote {
                argument.end = column
                position += 1
                return argument
            }
            if characters[position] == "\\", position + 1 < characters.count {
                if characters[position + 1] == quote { position += 1 } else { append(to: &argument) }
            }
            append(to: &argument)
        }
        throw FilterFailure(
            "a quote that is not closed", column: start, expected: "\(quote) at its end, or \\\(quote) within")
    }

    private mutating func append(to argument: inout FilterArgument) {
        argument.append(characters[position], column: column)
        position += 1
    }
}

extension Character {
    fileprivate var isNamePart: Bool {
        isASCII && (isLetter || isNumber)
    }
}
