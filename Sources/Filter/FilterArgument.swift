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
