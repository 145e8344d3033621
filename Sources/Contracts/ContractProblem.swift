public import JSON

/// What is wrong with a document of a contract, with its place.
public struct ContractProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    /// Nil where the matter is the file itself.
    public let position: JSONPosition?
    public let message: String
    public let expected: String?

    public init(_ file: String, _ position: JSONPosition?, _ message: String, expected: String? = nil) {
        (self.file, self.position, self.message, self.expected) = (file, position, message, expected)
    }

    init(_ file: String, _ failure: JSONFailure) {
        self.init(file, failure.position, failure.message, expected: failure.expected)
    }

    /// `api.yaml:12:5: message; expected this`.
    public var description: String {
        let place = position.map { ":\($0.line):\($0.column)" } ?? ""
        return "\(file)\(place): \(message)" + (expected.map { "; expected \($0)" } ?? "")
    }
}

/// Everything that is wrong with the documents of a contract.
public struct ContractProblems: Error, Sendable, CustomStringConvertible {
    public let all: [ContractProblem]

    init(_ all: [ContractProblem]) {
        var seen: Set<ContractProblem> = []
        self.all = all.filter { seen.insert($0).inserted }
    }

    public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// A place in a document of a contract.
public struct ContractPlace: Hashable, Sendable, CustomStringConvertible {
    public let file: String
    public let line: Int
    public let column: Int
    /// A JSON Pointer (RFC 6901).
    public let pointer: String

    /// `api.yaml:12:5 /paths/~1users/get`.
    public var description: String { "\(file):\(line):\(column)" + (pointer.isEmpty ? "" : " \(pointer)") }

    /// A step of a JSON Pointer.
    static func step(_ name: String) -> String { "/" + JSONPointer.escaped(name) }
}
