import JSON

/// One thing that is wrong in a profile's file, and where.
public struct ProfileProblem: Sendable, Hashable, CustomStringConvertible {
    public let file: String
    /// From 1; 0 where the problem is the file itself.
    public let line: Int
    public let column: Int
    public let message: String
    /// What was expected, or what to do next.
    public let hint: String?

    init(_ file: String, _ position: JSONPosition?, _ message: String, hint: String? = nil) {
        self.file = file
        line = position?.line ?? 0
        column = position?.column ?? 0
        self.message = message
        self.hint = hint
    }

    /// `Profiles/local.json:12:5: unknown key "orgin"; expected …`.
    public var description: String {
        let place = line > 0 ? "\(file):\(line):\(column)" : file
        return "\(place): \(message)" + (hint.map { "; \($0)" } ?? "")
    }
}

/// Everything that is wrong in a set of profiles; there is at least one.
public struct ProfileProblems: Error, Sendable, CustomStringConvertible {
    public let problems: [ProfileProblem]

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Where a thing is written in a profile.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    public let file: String
    public let line: Int
    public let column: Int

    init(_ file: String, _ position: JSONPosition) {
        self.file = file
        line = position.line
        column = position.column
    }

    public var description: String { "\(file):\(line):\(column)" }
}
