import JSON
import Patterns

/// A regular expression that is looked for in a value of a request.
public struct ValuePattern: Hashable, Sendable {
    /// As the profile has it.
    public let text: String
    private let pattern: Pattern

    /// The steps that one may take: a request is compared with many.
    private static let limit = 500

    /// `{ "regex": "^[0-9]+$" }`; nil after a report.
    init?(_ value: JSONValue, _ reporter: Reporter) {
        guard let fields = Fields(value, RequestCondition.patternKeys, reporter) else { return nil }
        guard let regex = fields["regex"], let text = regex.string else {
            reporter.report(
                fields["regex"]?.position ?? fields.place, "the condition has no regular expression",
                expected: RequestCondition.patternKeys.expected(of: "regex"))
            return nil
        }
        do throws(PatternFailure) { pattern = try Pattern(Array(text), limit: Self.limit) } catch {
            // Behind the quote; escapes in front of it move it.
            let place = regex.position
            reporter.report(
                JSONPosition(offset: place.offset, line: place.line, column: place.column + 1 + error.index),
                "the regular expression \"\(text)\": \(error.message)", expected: error.expected)
            return nil
        }
        self.text = text
    }

    /// Steps that each byte of a value may take.
    var cost: Int { pattern.cost }

    func isFound(in value: String) -> Bool { pattern.isFound(in: value) }

    public static func == (left: ValuePattern, right: ValuePattern) -> Bool { left.text == right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
