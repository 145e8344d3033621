import CSystem
import Platform
import Synchronization

/// A command of the shell that runs as long as this process wants it to, with all that it starts.
///
/// A small process between the two, the keeper, ends it all: when the command ends, when ``stop()`` is called, and when
/// this process is gone, however that ended. On Linux processes that have left the command's group end as well.
package final class KeptProcess: Sendable {
    /// How it ended.
    package enum End: Equatable, Sendable {
        case exited(CInt)
        case signalled(CInt)
        /// It could not be started: an errno.
        case failed(CInt)
    }

    /// What is told of it, on a thread of its own.
    package struct Listener: Sendable {
        package let started: @Sendable (CInt) -> Void
        package let wrote: @Sendable ([UInt8]) -> Void
        package let ended: @Sendable (End) -> Void

        package init(
            started: @escaping @Sendable (CInt) -> Void, wrote: @escaping @Sendable ([UInt8]) -> Void,
            ended: @escaping @Sendable (End) -> Void
        ) {
            (self.started, self.wrote, self.ended) = (started, wrote, ended)
        }
    }

    private static let running = Mutex<Set<CInt>>([])
    /// The keepers, which are children of this process.
    package static var keepers: Set<CInt> { running.withLock { $0 } }

    private let control: Mutex<CInt>

    /// Starts it on a thread; it reads nothing, and its listener gets both of its outputs.
    package init(
        _ command: String, in directory: String, environment: ProcessEnvironment, _ listener: Listener
    ) throws(SystemError) {
        let ends = try Self.pipe()
        control = Mutex(ends.output)
        do throws(SystemError) {
            try Loop.startThread(name: "program") {
                listener.ended(Self.run(command, directory, environment, control: ends, listener))
            }
        } catch {
            close(ends.input)
            close(ends.output)
            throw error
        }
    }

    deinit { stop() }

    /// Ends it by SIGTERM, and by SIGKILL what has not ended then; the listener is told when all is gone.
    package func stop() {
        let end = control.withLock { control in
            defer { control = -1 }
            return control
        }
        if end >= 0 { close(end) }
    }

    // MARK: The thread

    private typealias Pipe = (input: CInt, output: CInt)

    /// Both ends are above the descriptors that the keeper gets by their numbers.
    private static func pipe() throws(SystemError) -> Pipe {
        var ends: [CInt] = [-1, -1]
        guard Platform.pipe(&ends) == 0 else { throw .last("pipe") }
        let raised = ends.map { end in
            defer { close(end) }
            return fcntl(end, F_DUPFD_CLOEXEC, 10)
        }
        guard raised.allSatisfy({ $0 >= 0 }) else {
            for end in raised where end >= 0 { close(end) }
            throw SystemError("fcntl", code: EMFILE)
        }
        return (raised[0], raised[1])
    }

    private static func run(
        _ command: String, _ directory: String, _ environment: ProcessEnvironment, control: Pipe,
        _ listener: Listener
    ) -> End {
        let told: Pipe
        let output: Pipe
        do throws(SystemError) {
            told = try pipe()
        } catch {
            close(control.input)
            return .failed(error.code)
        }
        defer { close(told.input) }
        do throws(SystemError) {
            output = try pipe()
        } catch {
            for end in [control.input, told.output] { close(end) }
            return .failed(error.code)
        }
        defer { close(output.input) }
        var keeper: pid_t = 0
        let words = ["/bin/sh", "-c", "cd \"$1\" || exit 126; shift\n\(command)", "sh", directory]
        let code = withCStrings(words) { words in
            withCStrings(environment.texts) { environment in
                shunt_start_kept(&keeper, words, environment, control.input, told.output, output.output)
            }
        }
        for end in [control.input, told.output, output.output] { close(end) }
        guard code == 0 else { return .failed(code) }
        running.withLock { _ = $0.insert(keeper) }
        defer {
            while waitpid(keeper, nil, 0) < 0, errno == EINTR {}
            running.withLock { _ = $0.remove(keeper) }
        }
        guard let error = number(told.input), let pid = number(told.input) else { return .failed(ECHILD) }
        guard error == 0 else { return .failed(error) }
        listener.started(pid)
        copy(output.input, until: told.input, listener.wrote)
        guard let status = number(told.input) else {
            // The keeper was killed.
            kill(-pid, SIGKILL)
            return .signalled(SIGKILL)
        }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    private static func number(_ descriptor: CInt) -> Int32? {
        var number: Int32 = 0
        while true {
            let count = withUnsafeMutableBytes(of: &number) { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            return count == 4 ? number : nil
        }
    }

    /// Hands over what comes, to the end of the program: a process that could not be ended may keep its output open.
    private static func copy(_ output: CInt, until told: CInt, _ wrote: ([UInt8]) -> Void) {
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        var isOpen = true
        while true {
            var entries = [
                pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: told, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&entries, 2, -1) < 0, errno != EINTR { return }
            while isOpen {
                let count = piece.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
                if count > 0 { wrote(Array(piece[..<count])) }
                if count < 0, errno == EINTR { continue }
                if count == 0 || count < 0 && errno != EAGAIN { isOpen = false }
                if count <= 0 { break }
            }
            if entries[1].revents != 0 { return }
        }
    }
}
