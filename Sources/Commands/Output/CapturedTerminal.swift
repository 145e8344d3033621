import Synchronization

/// What a command writes that runs in the process of a test, and the environment that it sees.
package final class CapturedTerminal: Sendable {
    package let variables: [String: String]
    private let written = Mutex((output: [UInt8](), errors: [UInt8]()))

    package init(variables: [String: String] = [:]) { self.variables = variables }

    package var output: String { written.withLock { String(decoding: $0.output, as: UTF8.self) } }
    package var errors: String { written.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    func write(_ bytes: [UInt8], to descriptor: CInt) {
        written.withLock { written in
            if descriptor == 1 { written.output += bytes } else { written.errors += bytes }
        }
    }
}
