import CSystem
import Platform
import Reactor
import Synchronization

/// The command of `shunt run` with all that it starts: a process group of its own, which ends with the command.
///
/// Signals are passed on by ``take(_:)`` on any thread; the group is waited for on a thread of its own.
final class CommandGroup: Sendable {
    /// Why a command could not be started.
    struct StartFailure: Error {
        let code: CInt
    }

    private struct State {
        var pid: pid_t?
        var hasEnded = false
        /// Those of the signals that end programs which the group was sent.
        var sent: Set<CInt> = []
        var ownsTerminal = false
    }

    /// How long the rest of the group may take to end after SIGTERM, in milliseconds.
    private static let grace = 1000

    private let state = Mutex(State())
    private let terminal: CInt
    private let guarding: CInt
    private let guardian: pid_t

    /// - Parameter folder: is removed if this process is killed.
    init(folder: String) {
        terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        var guardian: pid_t = 0
        guarding = shunt_start_guard(folder, &guardian)
        self.guardian = guardian
        shunt_adopt_orphans()
    }

    /// Starts the command; its standard streams are this process's own.
    ///
    /// - Parameter environment: `NAME=VALUE` each.
    /// - Returns: gives the command's exit status when the whole group is gone; 128 and the number of a signal that
    ///   ended it.
    func start(_ words: [String], environment: [String]) throws(StartFailure) -> AsyncStream<CInt> {
        let (stream, continuation) = AsyncStream.makeStream(of: CInt.self)
        var pid: pid_t = 0
        let code = withCStrings(words) { words in
            withCStrings(environment) { environment in shunt_spawn_group(&pid, words, environment, guarding) }
        }
        guard code == 0 else { throw StartFailure(code: code) }
        state.withLock { $0.pid = pid }
        let command = pid
        do throws(SystemError) {
            try Loop.startThread(name: "command") {
                continuation.yield(self.wait(for: command))
                continuation.finish()
            }
        } catch {
            kill(-pid, SIGKILL)
            throw StartFailure(code: error.code)
        }
        return stream
    }

    /// Passes a signal on to the group; SIGINT and SIGTERM end it with SIGKILL the second time.
    ///
    /// - Returns: false if there is no command yet or any more.
    func take(_ signal: CInt) -> Bool {
        state.withLock { state in
            guard let pid = state.pid, !state.hasEnded else { return false }
            switch signal {
            case SIGTSTP:
                kill(-pid, SIGTSTP)
                kill(getpid(), SIGSTOP)
            case SIGCONT:
                if state.ownsTerminal { _ = tcsetpgrp(terminal, pid) }
                kill(-pid, SIGCONT)
            case SIGINT, SIGTERM:
                let isFirst = state.sent.insert(signal).inserted
                kill(-pid, isFirst ? signal : SIGKILL)
            default: kill(-pid, signal)
            }
            return true
        }
    }

    /// Ends what watches over this process; to be called once, at the end.
    func release() {
        if guarding >= 0 {
            withUnsafeBytes(of: Int32(-1)) { bytes in _ = write(guarding, bytes.baseAddress, bytes.count) }
            close(guarding)
        }
        if guardian > 0 { waitpid(guardian, nil, 0) }
    }

    // MARK: The thread that waits

    private func wait(for pid: pid_t) -> CInt {
        var status: CInt = 0
        while true {
            guard waitpid(pid, &status, WUNTRACED) == pid else {
                if errno == EINTR { continue }
                break
            }
            // WIFSTOPPED is a macro of C.
            guard status & 0xFF == 0x7F else { break }
            didStop(pid, by: status >> 8 & 0xFF)
        }
        state.withLock { state in
            if state.ownsTerminal { _ = tcsetpgrp(terminal, getpgrp()) }
            state.ownsTerminal = false
        }
        endRest(of: pid)
        state.withLock { $0.hasEnded = true }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    /// The command wants the terminal, which is this process's, or was suspended from it.
    private func didStop(_ pid: pid_t, by signal: CInt) {
        guard terminal >= 0 else { return }
        let suspends = state.withLock { state in
            if (signal == SIGTTIN || signal == SIGTTOU) && tcgetpgrp(terminal) == getpgrp() {
                state.ownsTerminal = tcsetpgrp(terminal, pid) == 0
                kill(-pid, SIGCONT)
            } else if state.ownsTerminal {
                _ = tcsetpgrp(terminal, getpgrp())
                return true
            }
            return false
        }
        if suspends { kill(getpid(), SIGSTOP) }
    }

    /// Ends what the command has left behind in its group, or anywhere as far as the system tells.
    private func endRest(of group: pid_t) {
        var waited = 0
        var signal = SIGTERM
        while true {
            while waitpid(-group, nil, WNOHANG) > 0 {}
            let strays = Orphans.ofThisProcess(but: KeptProcess.keepers.union([guardian]))
            if kill(-group, 0) != 0 && strays.isEmpty { return }
            if waited == 0 || waited == Self.grace {
                kill(-group, signal)
                for pid in strays { kill(pid, signal) }
                signal = SIGKILL
            } else if signal == SIGKILL && waited > Self.grace {
                // Some may have forked meanwhile.
                kill(-group, SIGKILL)
                for pid in strays { kill(pid, SIGKILL) }
            }
            for pid in strays { waitpid(pid, nil, WNOHANG) }
            // A process in the kernel's hands does not end; it is not waited for.
            if waited > 2 * Self.grace { return }
            usleep(5000)
            waited += 5
        }
    }
}
