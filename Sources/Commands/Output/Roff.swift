/// A manual page in the language of man(7).
struct Roff {
    private(set) var source: String

    init(title: String, section: Int, date: String) {
        source = ".TH \(Self.escaped(title.uppercased())) \(section) \(date) \"shunt \(Tool.version)\" Shunt\n"
    }

    mutating func heading(_ text: String) { source += ".SH \(Self.escaped(text))\n" }

    /// Of a part of a section.
    mutating func subheading(_ text: String) { source += ".SS \(Self.escaped(text))\n" }

    mutating func table(_ section: HelpTopic.Section) {
        subheading(section.title)
        for row in section.rows { item("`\(row[0])`", row.dropFirst().joined(separator: " ")) }
    }

    /// A paragraph; what stands in backticks becomes bold.
    mutating func text(_ text: String) {
        // Behind a heading it would be superfluous.
        if source.split(separator: "\n").last?.hasPrefix(".S") != true { source += ".PP\n" }
        source += Self.line(text)
    }

    /// A term, and what it means.
    mutating func item(_ term: String, _ meaning: String) {
        source += ".TP\n" + Self.line(term) + (meaning.isEmpty ? "\\&\n" : Self.line(meaning))
    }

    mutating func example(_ what: String, _ line: String) {
        text(what + ":")
        let verbatim = Self.guarded(Self.escaped(line))
        source += ".PP\n.RS 4\n.EX\n\(verbatim).EE\n.RE\n"
    }

    mutating func references(_ pages: [(name: String, section: Int)]) {
        for (number, page) in pages.enumerated() {
            source += ".BR \(Self.escaped(page.name)) (\(page.section))" + (number + 1 < pages.count ? ",\n" : "\n")
        }
    }

    /// One line of input, with bold between backticks.
    private static func line(_ text: String) -> String {
        var parts: [String] = []
        for (number, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            parts.append(number.isMultiple(of: 2) ? escaped(String(part)) : "\\fB\(escaped(String(part)))\\fR")
        }
        return guarded(parts.joined())
    }

    /// A full stop at the beginning would make a request of the line.
    private static func guarded(_ line: String) -> String { (line.hasPrefix(".") ? "\\&" : "") + line + "\n" }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "~": escaped += "\\(ti"
            case "^": escaped += "\\(ha"
            case "'": escaped += "\\(aq"
            case "\n": escaped += " "
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
