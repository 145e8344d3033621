/// Why a text is not JSON, and where.
public struct JSONFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let position: JSONPosition
    public let message: String
    public let expected: String?

    public init(position: JSONPosition, message: String, expected: String? = nil) {
        self.position = position
        self.message = message
        self.expected = expected
    }

    public var description: String {
        let tail = expected.map { "; expected \($0)" } ?? ""
        return "\(position.line):\(position.column): \(message)\(tail)"
    }
}
