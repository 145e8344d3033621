import Foundation
import Synchronization
import Testing

/// A program that a test runs, with its output kept in files, so that no full pipe can hold it up.
public final class ChildProcess: Sendable {
    /// How it ended and what it wrote.
    public struct Result: Sendable {
        /// The exit status; 128 and the signal's number if a signal ended it, as in a shell.
        public let status: Int32
        public let output: String
        public let errors: String

        public init(status: Int32, output: String, errors: String) {
            (self.status, self.output, self.errors) = (status, output, errors)
        }
    }

    public struct Overdue: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// What the thread that waits for the end leaves; the process has been waited for once there is a status.
    private final class End: Sendable {
        let status = Mutex<Int32?>(nil)
        let signal = DispatchSemaphore(value: 0)
    }

    public let pid: Int32
    private let folder: TemporaryFolder
    private let end = End()

    /// Starts it, as the leader of a process group.
    /// - Parameter environment: added to PATH, HOME, TMPDIR and options of sanitizers, the only variables it gets from
    ///   here, and to a data folder for programs that start in the same directory, so that nothing is written into the
    ///   user's own.
    public init(
        _ executable: String, _ arguments: [String], directory: String? = nil, environment: [String: String] = [:]
    ) throws {
        TestCosts.begin()
        folder = try TemporaryFolder()
        let own = ProcessInfo.processInfo.environment
        let variables = own.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) || $0.key.hasSuffix("SAN_OPTIONS") }
            .merging(["XDG_DATA_HOME": (directory ?? folder.path) + "/.data"]) { $1 }
            .merging(environment) { $1 }
        pid = try Spawning.start(
            [executable] + arguments, variables, directory: directory, output: try folder.write("output", ""),
            errors: try folder.write("errors", ""))
        Sweeper.shared.hold(pid: pid)
        Thread.detachNewThread { [pid, end, test = Test.current] in
            // It stays a zombie until the status is set: its number cannot become another process's before.
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            var status: Int32 = 0
            var usage = rusage()
            end.status.withLock { ended in
                wait4(pid, &status, 0, &usage)
                ended = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            }
            TestCosts.add(usage, of: test)
            end.signal.signal()
        }
    }

    /// What the program has started ends with it: it leads a group.
    deinit {
        let wasRunning = isRunning
        signal(SIGKILL)
        kill(-pid, SIGKILL)
        if wasRunning { end.signal.wait() }
        Sweeper.shared.release(pid: pid)
    }

    /// Runs a program to its end.
    public static func run(
        _ executable: String, _ arguments: [String], directory: String? = nil, environment: [String: String] = [:],
        seconds: Double = 60
    ) throws -> Result {
        try ChildProcess(executable, arguments, directory: directory, environment: environment).wait(seconds: seconds)
    }

    public var isRunning: Bool { end.status.withLock { $0 == nil } }
    public var output: String { (try? folder.read("output")) ?? "" }
    public var errors: String { (try? folder.read("errors")) ?? "" }

    public func signal(_ number: Int32) {
        end.status.withLock { status in
            if status == nil { kill(pid, number) }
        }
    }

    /// Waits for its end; ends it with SIGKILL and throws what it wrote if it takes longer.
    ///
    /// To be called once.
    public func wait(seconds: Double = 60) throws -> Result {
        if end.signal.wait(timeout: .now() + seconds) == .timedOut {
            signal(SIGKILL)
            throw Overdue(description: "still running after \(seconds) s; output: \(output); errors: \(errors)")
        }
        return Result(status: end.status.withLock { $0 ?? -1 }, output: output, errors: errors)
    }
}

/// Starts programs by `posix_spawn`: unlike Foundation's `Process` that leaves it to the caller to wait for them, which
/// is how the time that they took is known.
private enum Spawning {
    #if canImport(Darwin)
    static var actions: posix_spawn_file_actions_t? { nil }
    static var attributes: posix_spawnattr_t? { nil }
    static let closing = Int(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
    static var actions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
    static var attributes: posix_spawnattr_t { posix_spawnattr_t() }
    static let closing = 0

    // Swift does not see these in glibc's headers.
    typealias ChangeDirectory =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
    typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    static let changeDirectory = unsafeBitCast(
        dlsym(nil, "posix_spawn_file_actions_addchdir_np"), to: ChangeDirectory.self)
    static let closeFrom = unsafeBitCast(
        dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"), to: CloseFrom.self)
    #endif

    static func start(
        _ words: [String], _ variables: [String: String], directory: String?, output: String, errors: String
    ) throws -> pid_t {
        var actions = Self.actions
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY, 0)
        #if canImport(Darwin)
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        #else
        if let directory { _ = changeDirectory(&actions, directory) }
        _ = closeFrom(&actions, 3)
        #endif
        var attributes = Self.attributes
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int(POSIX_SPAWN_SETPGROUP) | Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF) | closing
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard failure == 0 else {
            throw ChildProcess.Overdue(description: "\(words[0]): \(String(cString: strerror(failure)))")
        }
        return pid
    }
}
