/// One problem of a profile, with its place.
public struct ProfileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// From 1; 0 when the matter is the file itself.
    public let line: Int
    /// From 1; 0 when the matter is the whole line.
    public let column: Int
    public let message: String
    public let expected: String?
    /// The next step, where there is one to name.
    public let hint: String?

    /// `Profiles/local.json:12:5: message; expected this; do that`.
    public var description: String {
        let place = [line, column].prefix { $0 > 0 }.map { ":\($0)" }.joined()
        var text = "\(file)\(place): \(message)"
        // The name that was meant is found at once, and not behind forty others.
        if let expected, let hint, hint.hasSuffix("?") { return text + "; \(hint) Expected \(expected)" }
        if let expected { text += "; expected \(expected)" }
        if let hint { text += "; \(hint)" }
        return text
    }
}

/// Everything that is wrong with a set of profiles, by file and line.
public struct ProfileProblems: Error, Sendable, CustomStringConvertible {
    public let all: [ProfileProblem]

    public init(all: [ProfileProblem]) { self.all = all }

    public var description: String { all.map(\.description).joined(separator: "\n") }
}
