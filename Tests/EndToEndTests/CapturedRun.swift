import Commands
import TestSupport

/// Commands in the process of the test: for those that need no folder, no terminal, no signals and no server.
enum CapturedRun {
    static func run(_ words: [String], environment: [String: String] = [:]) async -> ChildProcess.Result {
        let terminal = CapturedTerminal(variables: environment)
        let status = await Terminal.$captured.withValue(terminal) { await Tool.run(words) }
        return ChildProcess.Result(status: status, output: terminal.output, errors: terminal.errors)
    }

    static func run(_ words: String...) async -> ChildProcess.Result { await run(words) }
}
