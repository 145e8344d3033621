extension ExpectationReport {
    /// Commands that GitHub's runner makes annotations of: a line for each expectation that is not met.
    package var annotations: String {
        failed.map { result in
            let (file, line) = Self.place(result.expectation)
            let text = result.mismatches.map { lines($0).joined(separator: "\n") }.joined(separator: "\n")
            let place = file.hasPrefix("-") ? "" : "file=\(Self.property(file)),line=\(line),"
            return "::error \(place)title=\(Self.property(result.expectation.name))::\(Self.data(text))\n"
        }.joined()
    }

    private static func data(_ text: String) -> String {
        text.map { $0 == "%" ? "%25" : $0 == "\r" ? "%0D" : $0 == "\n" ? "%0A" : "\($0)" }.joined()
    }

    private static func property(_ text: String) -> String {
        data(text).map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : "\($0)" }.joined()
    }

    /// Markdown for the summary of a step.
    package var markdown: String {
        var text = "### Shunt: \(summary)\n\n| | expectation | seen |\n|---|---|---|\n"
        for result in results {
            let seen = result.mismatches.map { "expected \($0.expected), seen \($0.seen)" }.joined(separator: "; ")
            text +=
                "| \(result.isFulfilled ? "met" : "**not met**") | \(Self.cell(result.expectation.name)) | \(Self.cell(seen)) |\n"
        }
        for result in failed {
            text += "\n<details><summary>\(Self.xml(result.expectation.name))</summary>\n\n<pre>\n"
            let all = result.mismatches.flatMap { lines($0) }
            text += all.map { Self.xml($0) }.joined(separator: "\n")
            text += "\n</pre></details>\n"
        }
        return text
    }

    /// Text in a table of Markdown, in which HTML counts.
    static func cell(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "|", "\\", "`", "*", "_", "[", "]", "~": escaped += "\\\(character)"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case _ where character.isNewline: escaped += " "
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
