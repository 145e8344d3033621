import CSystem
import Platform
import Reactor

/// This program, started once more without its caller's terminal and descriptors.
enum DetachedProcess {
    /// Starts it with the same arguments.
    /// - Parameters:
    ///   - variable: names the log to the new process.
    ///   - output: for standard output and error; the new process has it, and so does the caller until it closes it.
    ///   - ready: descriptor 3 of the new process. Like `output` it is a ``raised(_:)`` one.
    ///   - leads: a session of its own.
    static func start(_ variable: String, log: String, output: CInt, ready: CInt, leads: Bool) throws -> pid_t {
        guard let program = ProgramFile.path else {
            throw CommandFailure("the program's own file cannot be found", advice: "Start it without --detach.")
        }
        var environment = ProcessEnvironment.current
        environment[variable] = log
        var pid: pid_t = 0
        let code = withCStrings(CommandLine.arguments) { words in
            withCStrings(environment.texts) { environment in
                shunt_spawn_detached(&pid, program, words, environment, output, ready, leads ? 1 : 0)
            }
        }
        guard code == 0 else {
            throw CommandFailure("Shunt cannot be started once more: \(String(cString: strerror(code)))")
        }
        return pid
    }

    /// The log of the process that this one was started as; nil in one that was started otherwise.
    static func takeLog(_ variable: String) -> String? {
        guard let path = Terminal.variable(variable), fcntl(telling, F_GETFD) >= 0 else { return nil }
        // Programs that this one starts are something else.
        unsetenv(variable)
        _ = fcntl(telling, F_SETFD, FD_CLOEXEC)
        return path
    }

    /// The descriptor on which a server tells that it listens.
    static let telling: CInt = 3

    /// Never one of the descriptors that the new program gets by their numbers, also where this one has no input.
    static func raised(_ descriptor: CInt) -> CInt {
        guard descriptor >= 0 else { return -1 }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
        close(descriptor)
        return copy
    }

    /// - Returns: the status that waitpid(2) gives.
    static func wait(for pid: pid_t) -> CInt {
        var status: CInt = 0
        while waitpid(pid, &status, 0) != pid, errno == EINTR {}
        return status
    }

    /// The signal that ended a process; nil where it ended by itself.
    static func signal(_ status: CInt) -> CInt? { status & 0x7F == 0 ? nil : status & 0x7F }

    /// The exit status that a shell would give.
    static func code(_ status: CInt) -> CInt { signal(status).map { 128 + $0 } ?? (status >> 8 & 0xFF) }
}
