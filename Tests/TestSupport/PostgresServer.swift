import Foundation
import Synchronization

/// A PostgreSQL server of a test's own, on a free port of loopback and a socket in its folder; it ends with this.
///
/// The user `shunt` owns everything and needs no password on the socket; on TCP its password is ``password``.
public final class PostgresServer: @unchecked Sendable {
    public static let password = "pg-s3cret"

    /// Whether a server can be started here.
    public static var isThere: Bool { programs != nil }

    /// One for all tests that neither stop nor change it.
    public static let shared = Result { try PostgresServer() }

    private static let count = Mutex(0)

    public let port: UInt16
    /// Where data and socket are.
    public let folder: TemporaryFolder
    private let settings: [String]
    private var process: ChildProcess?

    /// Makes the data and starts it.
    ///
    /// - Parameter settings: as `name=value`, behind those that make it fast.
    public init(_ settings: [String] = []) throws {
        folder = try TemporaryFolder()
        port = FreePort.find()
        self.settings = settings
        chmod(folder.path, 0o755)
        let source = try Self.newData.get().path + "/data"
        try Self.check("/usr/bin/env", ["cp", "-Rp", source, folder.path + "/data"])
        if getuid() == 0 { try Self.check("chown", ["postgres", folder.path]) }
        try start()
    }

    /// Holds the data of a server that was never started, which each new one copies: making it takes seconds.
    private static let newData = Result {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        let password = try folder.write("password", PostgresServer.password + "\n")
        let data = folder.path + "/data"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        if getuid() == 0 { try check("chown", ["postgres", data, password, folder.path]) }
        try check(
            "\(programFolder)/initdb",
            [
                "-D", data, "-U", "shunt", "--pwfile", password, "--auth-local=trust", "--auth-host=scram-sha-256",
                "-E", "UTF8", "--locale=C", "--no-sync",
            ], asUser: true)
        return folder
    }

    /// Makes a hot standby of a server, which shows what that one has, a moment later.
    public init(standbyOf primary: PostgresServer) throws {
        let programs = try Self.programFolder
        folder = try TemporaryFolder()
        port = FreePort.find()
        settings = []
        chmod(folder.path, 0o755)
        if getuid() == 0 { try Self.check("chown", ["postgres", folder.path]) }
        try Self.check(
            "\(programs)/pg_basebackup",
            [
                "-D", folder.path + "/data", "-h", primary.folder.path, "-p", String(primary.port), "-U", "shunt", "-R",
                "-X",
                "stream", "-c", "fast", "--no-sync",
            ], asUser: true)
        try start(isNew: false)
    }

    private static var programFolder: String {
        get throws {
            guard let programs else {
                throw ChildProcess.Overdue(description: "PostgreSQL's server is not installed")
            }
            return programs
        }
    }

    /// The address over the socket, which needs no password.
    public var address: String { address("shunt") }

    public func address(_ database: String) -> String {
        "postgres://shunt@/\(database)?host=\(folder.path.replacing("/", with: "%2F"))&port=\(port)"
    }

    /// The address of a new database, over the socket.
    public func newDatabase() throws -> String {
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        try run("CREATE DATABASE test\(number)", in: "postgres")
        return address("test\(number)")
    }

    /// The address over TCP, without TLS; the password is to be in `PGPASSWORD`.
    public var networkAddress: String { "postgres://shunt@127.0.0.1:\(port)/shunt?sslmode=disable" }

    public func start() throws { try start(isNew: process == nil) }

    private func start(isNew: Bool) throws {
        let programs = try Self.programFolder
        let (program, words) = Self.command(
            "\(programs)/postgres",
            [
                "-D", folder.path + "/data", "-h", "127.0.0.1", "-p", String(port), "-k", folder.path, "-c",
                "fsync=off",
                // What stays where it is killed goes with its folder.
                "-c", "dynamic_shared_memory_type=mmap",
                "-c", "max_connections=200",
            ] + settings.flatMap { ["-c", $0] }, asUser: true)
        let process = try ChildProcess(program, words)
        self.process = process
        try awaitStart(process)
        if isNew { try run("CREATE DATABASE shunt", in: "postgres") }
    }

    private func awaitStart(_ process: ChildProcess) throws {
        let isReady = eventually {
            !process.isRunning || (try? run("SELECT 1", in: "postgres")) != nil
        }
        guard isReady, process.isRunning else {
            throw ChildProcess.Overdue(description: "PostgreSQL does not start: \(process.errors)")
        }
    }

    /// Ends it as `kill -9` does, with all its processes, or in good order.
    public func stop(hard: Bool = false) throws {
        guard let process else { return }
        if hard { kill(-process.pid, SIGKILL) } else { process.signal(SIGINT) }
        _ = try process.wait()
    }

    /// A server that was killed leaves its segment of System V's shared memory, which the machine has few of.
    deinit {
        process = nil
        Self.removeSegment(of: folder.path + "/data")
    }

    private static func removeSegment(of data: String) {
        guard let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8) else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 6, let id = lines[6].split(separator: " ").last else { return }
        _ = try? ChildProcess.run("/usr/bin/env", ["ipcrm", "-m", String(id)])
    }

    /// Runs statements with psql, and not with Debian's script of that name; returns what it prints, without headers.
    @discardableResult
    public func run(_ sql: String, in database: String = "shunt") throws -> String {
        let result = try ChildProcess.run(
            "\(Self.programFolder)/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(database), "-c", sql])
        guard result.status == 0 else { throw ChildProcess.Overdue(description: result.errors) }
        return String(result.output.drop { $0.isWhitespace }).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static let programs: String? = {
        let known =
            (9...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql@15/bin", "/usr/local/opt/postgresql@15/bin"]
        return known.first { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    }()

    /// PostgreSQL's server refuses to run as root.
    private static func command(_ program: String, _ words: [String], asUser: Bool) -> (String, [String]) {
        guard asUser, getuid() == 0 else { return ("/usr/bin/env", [program] + words) }
        return (
            "/usr/bin/env", ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program] + words
        )
    }

    private static func check(_ program: String, _ words: [String], asUser: Bool = false) throws {
        let (program, words) = command(program, words, asUser: asUser)
        let result = try ChildProcess.run(program, words, directory: "/")
        guard result.status == 0 else { throw ChildProcess.Overdue(description: "\(words): \(result.errors)") }
    }
}
