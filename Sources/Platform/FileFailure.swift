/// A file that could not be read or written, with the system's reason.
public struct FileFailure: Error, Sendable, CustomStringConvertible {
    public let path: String
    /// `read`, `written`, `made`: completes “cannot be”.
    public let deed: String
    /// An `errno`.
    public let code: CInt

    public init(_ path: String, _ deed: String, code: CInt = errno) {
        self.path = path
        self.deed = deed
        self.code = code
    }

    /// It or a directory above it is not there.
    public var isMissing: Bool { code == ENOENT }

    /// The system's words.
    public var reason: String { String(cString: strerror(code)) }

    public var description: String { "\(path) cannot be \(deed): \(reason)" }
}
