/// Why a text is not a filter, and where.
public struct FilterFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String
    /// Where in the text, from 1, in characters.
    public let column: Int
    /// The expected text.
    public let expected: String
    /// The whole text.
    public package(set) var text = ""

    init(_ message: String, column: Int, expected: String) {
        self.message = message
        self.column = column
        self.expected = expected
    }

    /// Four lines: what is wrong, the text, a caret below the place, and what was expected.
    ///
    /// Control characters are replaced, and of a long text only what stands around the place is shown.
    public var description: String {
        let characters = text.map { $0.isControl ? " " : $0 }
        let start = column > 80 ? column - 60 : 0
        let end = min(characters.count, start + 100)
        let shown =
            (start > 0 ? "…" : "") + String(characters[min(start, end)..<end])
            + (end < characters.count ? "…" : "")
        let indent = String(repeating: " ", count: max(0, column - 1 - start) + (start > 0 ? 1 : 0))
        let what = String(message.map { $0.isControl ? " " : $0 })
        return "\(what) (column \(column))\n  \(shown)\n  \(indent)^\nexpected \(expected)"
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.contains {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
        }
    }
}
