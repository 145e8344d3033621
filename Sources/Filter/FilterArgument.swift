/// An operator's argument, or a text alone: a word, or a quoted text.
struct FilterArgument: Sendable {
    private(set) var characters: [Character] = []
    private var columns: [Int] = []
    /// Where it starts, in the filter's text.
    let column: Int
    /// The start of the next token.
    var end: Int

    init(at column: Int) {
        self.column = column
        end = column
    }

    mutating func append(_ character: Character, column: Int) {
        characters.append(character)
        columns.append(column)
    }

    func column(of index: Int) -> Int {
        index < columns.count ? columns[index] : end
    }

    /// As it was written.
    var text: String { String(characters) }

    /// The same as a pattern for URLs, in which characters beyond ASCII are mostly percent-encoded (RFC 3986 2.5): both
    /// spellings are found.
    ///
    /// Within brackets, where a byte stands for itself, they stay as they are.
    var alsoEncoded: FilterArgument {
        guard !characters.allSatisfy(\.isASCII) else { return self }
        var result = FilterArgument(at: column)
        result.end = end
        var (isEscaped, isInSet) = (false, false)
        for (character, column) in zip(characters, columns) {
            defer { isEscaped = character == "\\" && !isEscaped }
            if !isEscaped, character == "[" || character == "]" { isInSet = character == "[" }
            guard !character.isASCII, !isInSet, !isEscaped else {
                result.append(character, column: column)
                continue
            }
            let encoded = character.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for part in "(\(character)|\(encoded))" { result.append(part, column: column) }
        }
        return result
    }

    /// Without the backslashes that kept a character from its meaning.
    var unescaped: String {
        var result = ""
        var isEscaped = false
        for character in characters {
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { result.append(character) }
        }
        return isEscaped ? result + "\\" : result
    }
}
