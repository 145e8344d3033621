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
    /// Returns the exit status.
    let run: @Sendable (Arguments) async throws(CommandFailure) -> CInt

    /// With those that every command has.
    var allOptions: [Option] {
        options + [.help] + (RemoteShunt.commands.contains(name) ? RemoteShunt.options : [])
    }
}

/// Why a command ends without having done its work.
enum CommandFailure: Error {
    /// The command line is wrong: exit status 64.
    case usage(UsageError)
    /// Anything else: exit status 1. The message names the thing and what was expected, the advice the next step.
    case failed(String, advice: String?)
}

extension CommandFailure {
    static func failed(_ message: String) -> CommandFailure { .failed(message, advice: nil) }
}
