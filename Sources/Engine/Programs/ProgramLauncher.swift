package import Reactor

/// A program that was started.
package protocol RunningProgram: AnyObject, Sendable {
    /// Ends it; its listener is told when it is gone.
    func stop()
}

extension KeptProcess: RunningProgram {}

/// Starts the programs of origins; tests have one that only says so.
package protocol ProgramLauncher {
    func start(
        _ command: String, in directory: String, port: UInt16, _ listener: KeptProcess.Listener
    ) throws(SystemError) -> any RunningProgram
}

/// The shell.
struct ShellLauncher: ProgramLauncher {
    func start(
        _ command: String, in directory: String, port: UInt16, _ listener: KeptProcess.Listener
    ) throws(SystemError) -> any RunningProgram {
        try KeptProcess(command, in: directory, environment: .ofServer(port: port), listener)
    }
}
