import Bytes

extension ExpectationReport {
    /// For people, and without color for files.
    package func text(color: Bool = false) -> String {
        func painted(_ text: String, _ code: Int) -> String { color ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text }
        var text = ""
        for result in results {
            let name = PlainText.clean(result.expectation.name)
            let notes = result.notes.map { "        \(PlainText.clean($0))\n" }.joined()
            guard !result.isFulfilled else {
                text += painted("met", 32) + "     \(name)\n" + notes
                continue
            }
            text += painted("NOT MET", 31) + " \(name)  (\(PlainText.clean(result.expectation.place)))\n"
            for mismatch in result.mismatches {
                for line in lines(mismatch) { text += "        \(PlainText.clean(line))\n" }
            }
            text += notes
        }
        return text + summary + ".\n"
    }
}
