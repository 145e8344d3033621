import Platform

/// A system call that failed, with the errno it left.
public struct SystemError: Error, Sendable, Equatable {
    /// The call's name as in its manual page: `connect`, `bind`.
    public let call: String
    public let code: CInt

    public init(_ call: String, code: CInt) {
        self.call = call
        self.code = code
    }

    /// The error that `errno` tells of; to be made right after the call.
    static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }
}

extension SystemError: CustomStringConvertible {
    /// The system's own words, such as `Connection refused`.
    public var reason: String { String(cString: strerror(code)) }
    /// The process, or the system, has as many open files as it may have.
    public var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
    /// No way leads to the address, or the system does not let this process use it.
    public var isUnreachable: Bool { code == EHOSTUNREACH || code == ENETUNREACH }
    public var description: String { "\(call): \(reason)" }
}
