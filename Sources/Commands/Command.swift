import Admin
import Engine
import Inspection
import Profiles
import Store
import TLS

/// One thing that `shunt` can do; all of them stand in ``Tool/commands``.
struct Command: Sendable {
    let name: String
    /// One sentence.
    let summary: String
    /// Behind `shunt`: `use NAME [options]`.
    let usage: String
    /// Paragraphs.
    var details: [String] = []
    /// Between the paragraphs and the options.
    var tables: [HelpTopic.Section] = []
    var options: [Option] = []
    /// How many operands it takes.
    var operands: ClosedRange<Int> = 0...0
    var examples: [(what: String, line: String)] = []
    /// Those that it takes itself, see ``Signals``.
    var signals: [CInt] = []
    /// It talks to the admin interface alone, so that the Shunt may be on another machine.
    var canBeRemote = false
    /// Returns the exit status.
    let run: @Sendable (Arguments) async throws -> CInt

    /// With those that every command has.
    var allOptions: [Option] {
        options + [.help] + (canBeRemote ? RemoteShunt.options : [])
    }
}

/// Why a command ends without having done its work, with exit status 1.
struct CommandFailure: Error {
    /// Names the thing and what was expected.
    let message: String
    /// The next step.
    let advice: String?

    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    /// Any error in words for people.
    init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as UsageError: self.init(error.message, advice: error.advice)
        case let error as AdminClientFailure: self.init(error)
        case let error as ProxyError: self.init(error, option: "--port")
        case let error as StoreFailure: self = .reading(error)
        case let error as TokenFailure: self.init(error.message, advice: error.advice)
        case let error as RecordingWriteFailure: self = .recording(error)
        case let error as ProfileProblems: self = .profiles(error)
        case let error as ReplayFailure: self.init(error.message)
        case let error as LintFailure: self.init(error.message)
        case let error as TLSFailure: self.init(error.message)
        default: self.init("\(error)")
        }
    }
}
