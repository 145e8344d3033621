import Synchronization

/// What a command writes that runs within another one or a test, and the environment that it sees.
package final class CapturedTerminal: Sendable {
    /// The environment of the command; nil for that of the process.
    package let variables: [String: String]?
    /// Bytes of either stream that are kept.
    private let limit: Int
    private let written = Mutex((output: [UInt8](), errors: [UInt8]()))

    package init(variables: [String: String]? = [:], limit: Int = .max) {
        (self.variables, self.limit) = (variables, limit)
    }

    package var output: String { written.withLock { String(decoding: $0.output, as: UTF8.self) } }
    package var errors: String { written.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    func write(_ bytes: [UInt8], to descriptor: CInt) {
        written.withLock { written in
            if descriptor == 1 {
                written.output += bytes.prefix(limit - written.output.count)
            } else {
                written.errors += bytes.prefix(limit - written.errors.count)
            }
        }
    }
}
