import Foundation

/// A program that a test runs, with its output kept in files, so that no full pipe can hold it up.
public final class ChildProcess: @unchecked Sendable {
    /// How it ended and what it wrote.
    public struct Result: Sendable {
        /// The exit status; 128 and the signal's number if a signal ended it, as in a shell.
        public let status: Int32
        public let output: String
        public let errors: String
    }

    public struct Overdue: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    private let process = Process()
    private let folder: TemporaryFolder
    private let ended = DispatchSemaphore(value: 0)

    /// Starts it.
    /// - Parameter environment: added to PATH and HOME, the only variables it gets from here, and to a data folder for
    ///   programs that start in the same directory, so that nothing is written into the user's own.
    public init(
        _ executable: String, _ arguments: [String], directory: String? = nil, environment: [String: String] = [:]
    ) throws {
        folder = try TemporaryFolder()
        let own = ProcessInfo.processInfo.environment
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = own.filter { ["PATH", "HOME", "TMPDIR"].contains($0.key) }
            .merging(["XDG_DATA_HOME": (directory ?? folder.path) + "/.data"]) { $1 }
            .merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: try folder.write("output", ""))
        process.standardError = FileHandle(forWritingAtPath: try folder.write("errors", ""))
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        Sweeper.shared.hold(pid: process.processIdentifier)
    }

    /// What the program has started ends with it: it leads a group.
    deinit {
        let pid = process.processIdentifier
        guard pid > 0 else { return }
        if process.isRunning { kill(pid, SIGKILL) }
        kill(-pid, SIGKILL)
        // Foundation frees only what was waited for in this way.
        process.waitUntilExit()
        Sweeper.shared.release(pid: pid)
    }

    /// Runs a program to its end.
    public static func run(
        _ executable: String, _ arguments: [String], directory: String? = nil, environment: [String: String] = [:],
        seconds: Double = 60
    ) throws -> Result {
        try ChildProcess(executable, arguments, directory: directory, environment: environment).wait(seconds: seconds)
    }

    public var pid: Int32 { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }
    public var output: String { (try? folder.read("output")) ?? "" }
    public var errors: String { (try? folder.read("errors")) ?? "" }

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end; ends it with SIGKILL and throws what it wrote if it takes longer.
    ///
    /// To be called once.
    public func wait(seconds: Double = 60) throws -> Result {
        if ended.wait(timeout: .now() + seconds) == .timedOut {
            signal(SIGKILL)
            throw Overdue(description: "still running after \(seconds) s; output: \(output); errors: \(errors)")
        }
        let status = process.terminationStatus
        return Result(
            status: process.terminationReason == .uncaughtSignal ? 128 + status : status, output: output, errors: errors
        )
    }
}
