/// The text of `--help`, made from a command's table.
struct HelpText {
    let command: Command
    private static let width = 100

    var text: String {
        var text = "\(command.summary)\n\nUsage: shunt \(command.usage)\n"
        for paragraph in command.details {
            text += "\n" + Self.wrapped(paragraph, indent: 0) + "\n"
        }
        for table in command.tables {
            let column = (table.rows.map(\.[0].count).max() ?? 0) + 4
            text += "\n\(table.title):\n"
            for row in table.rows { text += Self.row(row[0], row[1], column) }
        }
        let column = min(command.allOptions.map { Self.spelling($0).count }.max() ?? 0, 26) + 4
        var group: String?
        for option in Self.grouped(command.allOptions) {
            if option.group != group { text += "\n\(option.group):\n" }
            group = option.group
            text += Self.row(Self.spelling(option), Self.meaning(of: option, in: command), column)
        }
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            for example in command.examples { text += "  # \(example.what)\n  \(example.line)\n" }
        }
        return text
    }

    /// The options of one group behind each other, groups in the order of their first option.
    static func grouped(_ options: [Option]) -> [Option] {
        var groups: [String] = []
        for option in options where !groups.contains(option.group) { groups.append(option.group) }
        return groups.flatMap { group in options.filter { $0.group == group } }
    }

    private static func row(_ spelling: String, _ help: String, _ column: Int) -> String {
        let gap = column - spelling.count - 2
        return "  " + spelling + (gap >= 2 ? spaces(gap) : "\n" + spaces(column))
            + wrapped(help, indent: column).drop { $0 == " " } + "\n"
    }

    /// What an option does, and when.
    static func meaning(of option: Option, in command: Command) -> String {
        let all = command.allOptions
        let excluded = all.filter {
            option.excludes.contains($0.name) || $0.excludes.contains(option.name)
        }
        let needs =
            option.needs.map { "--\($0)" } + [option.neededOperand].compactMap(\.self)
            + (option.needsOne.isEmpty ? [] : [Words.choice(option.needsOne.map { "--\($0)" })])
        return option.help + (option.fallback.map { " Default: \($0)." } ?? "")
            + (option.actions.isEmpty ? "" : " With \(Words.choice(option.actions.map { "`\($0)`" })) only.")
            + (needs.isEmpty ? "" : " Needs " + needs.joined(separator: ", ") + ".")
            + (option.replacedOperand.map { " Instead of \($0)." } ?? "")
            + (excluded.isEmpty ? "" : " Not with " + excluded.map { "--\($0.name)" }.joined(separator: ", ") + ".")
    }

    /// An option as the help lists it: `-p, --port PORT`.
    private static func spelling(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--" + option.name + (option.value.map { " " + $0 } ?? "")
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    /// Breaks at spaces; every line is indented, the first one too.
    static func wrapped(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        var line = spaces(indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = spaces(indent)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
