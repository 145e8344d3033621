import Filter
import JSON
import Platform
public import Profiles

/// Expectations as a file or an option has them.
public enum ExpectationFile {
    /// Reads a file of JSON5.
    ///
    /// - Parameter path: for messages, and where files that it names lie.
    /// - Throws: all problems, with line and column.
    public static func read(_ bytes: [UInt8], path: String) throws(ProfileProblems) -> [Expectation] {
        let problems = ProblemList()
        let reporter = Reporter(file: path, problems: problems)
        var found: [Expectation] = []
        do throws(JSONFailure) {
            let value = try JSONReader.read(bytes)
            if let fields = Fields(value, "expectations", keys: ["$schema", "expect"], reporter) {
                if fields["expect"] == nil {
                    reporter.report(value.position, "\"expect\" is missing", expected: "a list of expectations")
                }
                for item in fields.array("expect", expected: "a list of expectations") {
                    if let expectation = expectation(item, CheckReader(reporter: reporter)) {
                        found.append(expectation)
                    }
                }
            }
        } catch {
            reporter.report(error.position, error.message, expected: error.expected)
        }
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        return found
    }

    /// Reads what was posted: one expectation, an array of them, or an object as a file has it; a text among them is as
    /// that of an option.
    /// - Parameter isTrusted: files of this machine may be named.
    public static func read(posted bytes: [UInt8], isTrusted: Bool) throws(ProfileProblems) -> [Expectation] {
        let problems = ProblemList()
        let reader = CheckReader(reporter: Reporter(file: "expectations", problems: problems))
        var found: [Expectation] = []
        do throws(JSONFailure) {
            let value = try JSONReader.read(bytes)
            for item in value["expect"]?.array ?? value.array ?? [value] {
                guard let text = item.string else {
                    if let expectation = expectation(item, reader) { found.append(expectation) }
                    continue
                }
                do throws(ProfileProblems) {
                    if let expectation = try read(inline: text) {
                        found.append(expectation)
                    } else {
                        reader.reporter.report(
                            item.position, "“\(text)” is no expectation", expected: "'FILTER: COUNT', or an object")
                    }
                } catch {
                    error.all.forEach { reader.reporter.report(item.position, $0.message, expected: $0.expected) }
                }
            }
            if found.isEmpty, problems.all.isEmpty {
                reader.reporter.report(value.position, "there is no expectation", expected: "one, or an array of them")
            }
        } catch {
            reader.reporter.report(error.position, error.message, expected: error.expected)
        }
        if problems.namesFiles, !isTrusted {
            // Nothing else is said: the other messages would tell which files there are.
            let only = ProblemList()
            Reporter(file: "expectations", problems: only).report(
                nil, "they name a file of Shunt's machine", expected: "the schema itself")
            throw ProfileProblems(all: only.all)
        }
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        return found
    }

    private static func expectation(_ value: JSONValue, _ reader: CheckReader) -> Expectation? {
        let keys = Checks.all.map { $0.key }
        guard let fields = Fields(value, "an expectation", keys: ["name", "filter"] + keys, reader.reporter) else {
            return nil
        }
        let name = fields.string("name")
        guard let filter = fields["filter"].map({ reader.filter($0) }) ?? .everything else { return nil }
        var checks: [any Check] = []
        for kind in Checks.all {
            guard let member = fields[kind.key] else { continue }
            guard let check = kind.init(member, reader) else { return nil }
            checks.append(check)
        }
        guard !checks.isEmpty else {
            reader.reporter.report(
                value.position, "the expectation checks nothing", expected: "one of \(keys.joined(separator: ", "))")
            return nil
        }
        let words = checks.map(\.words).joined(separator: ", ")
        return Expectation(
            name: name ?? (filter.text.isEmpty ? words : "\(filter.text): \(words)"),
            place: "\(reader.reporter.file):\(value.position.line)", filter: filter, checks: checks)
    }

    /// Reads `FILTER: COUNT`, where COUNT is `0`, `1..3`, `1..` or `..3`; or `never WHAT`.
    ///
    /// - Returns: nil for a text that is neither, such as the name of a file.
    public static func read(inline text: String) throws(ProfileProblems) -> Expectation? {
        let problems = ProblemList()
        let reader = CheckReader(reporter: Reporter(file: "--expect '\(text)'", problems: problems))
        let start = JSONPosition(offset: 0, line: 0, column: 0)
        func finish(_ expectation: Expectation?) throws(ProfileProblems) -> Expectation? {
            guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
            return expectation
        }
        let words = text.split(separator: " ")
        if words.first == "never" {
            let kinds = words.dropFirst().map { JSONValue(kind: .string(String($0)), position: start) }
            let check = NeverCheck(JSONValue(kind: .array(kinds), position: start), reader)
            return try finish(
                check.map { Expectation(name: text, place: "--expect", filter: .everything, checks: [$0]) })
        }
        guard let colon = text.lastIndex(of: ":"), let bounds = bounds(text[text.index(after: colon)...]) else {
            return nil
        }
        let filter = reader.filter(JSONValue(kind: .string(trimmed(text[..<colon])), position: start))
        return try finish(
            filter.map { Expectation(name: text, place: "--expect", filter: $0, checks: [CountCheck(bounds: bounds)]) })
    }

    private static func bounds(_ text: Substring) -> Bounds? {
        let text = trimmed(text)
        if let number = Int(text), number >= 0 { return Bounds(min: number, max: number) }
        guard let dots = text.range(of: "..") else { return nil }
        let (low, high) = (text[..<dots.lowerBound], text[dots.upperBound...])
        guard low.isEmpty || Int(low) != nil, high.isEmpty || Int(high) != nil, !(low.isEmpty && high.isEmpty),
            Int(low) ?? 0 <= Int(high) ?? .max
        else { return nil }
        return Bounds(min: Int(low), max: Int(high))
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
