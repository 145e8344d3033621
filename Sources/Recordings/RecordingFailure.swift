/// Why a recording cannot be used, and where in its file.
public struct RecordingFailure: Error, Sendable, Hashable {
    /// From 1; nil where it is the file itself.
    public let line: Int?
    /// From 1, in Unicode scalars.
    public let column: Int?
    /// Completes "the recording …".
    public let message: String
    /// There is no such file.
    public let isMissing: Bool

    init(_ message: String, line: Int? = nil, column: Int? = nil, isMissing: Bool = false) {
        (self.message, self.line, self.column, self.isMissing) = (message, line, column, isMissing)
    }

    /// The message with its place.
    public var text: String {
        guard let line, let column else { return message }
        return "\(message), in line \(line), column \(column)"
    }
}
