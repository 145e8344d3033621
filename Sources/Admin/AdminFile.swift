import JSON
public import Platform
import Reactor

/// `.shunt/PORT.json` beside a folder of profiles: how commands find a running Shunt and its token.
public struct AdminFile: Sendable {
    /// The folder with one file per running Shunt.
    public let directory: String

    /// - Parameter profilesDirectory: absolute, so that commands in other places mean the same.
    public init(profilesDirectory: String) { directory = Path.directory(of: profilesDirectory) + "/.shunt" }

    private func path(_ port: UInt16) -> String { "\(directory)/\(port).json" }

    /// Makes the folder, which only this user can read.
    public func makeDirectory() throws(FileFailure) {
        try Files.makeDirectory(directory, mode: 0o700)
        // The token must not end up in a repository.
        if !Files.exists(directory + "/.gitignore") {
            try Files.write(Array("*\n".utf8), to: directory + "/.gitignore", mode: 0o600)
        }
    }

    /// The missing files of the folder of the running Shunt at `port`, as absolute paths.
    ///
    /// Empty if the project itself is gone, since commands do not look there.
    public func missing(port: UInt16) -> [String] {
        guard Files.isDirectory(Path.directory(of: directory)) else { return [] }
        return [directory + "/.gitignore", path(port)].filter { !Files.exists($0) }
    }

    /// Writes the file that only this user can read.
    public func write(_ record: AdminRecord) throws(FileFailure) {
        try makeDirectory()
        try Files.write(record.json, to: path(record.port), mode: 0o600)
    }

    /// Removes the file of the Shunt at `port`, unless another process has taken the port over.
    public func remove(port: UInt16, pid: Int32) {
        guard let record = read(path(port)), record.pid == pid else { return }
        unlink(path(port))
    }

    /// The Shunts that run with these profiles, by port; files of processes that have ended are removed.
    public func running() -> [AdminRecord] {
        var found: [AdminRecord] = []
        for name in (try? Files.names(in: directory)) ?? [] where name.hasSuffix(".json") {
            let file = directory + "/" + name
            guard let record = read(file) else { continue }
            if isAlive(record) { found.append(record) } else { unlink(file) }
        }
        return found.sorted { $0.port < $1.port }
    }

    /// Whether the file of this Shunt is there.
    public func contains(_ record: AdminRecord) -> Bool { read(path(record.port))?.pid == record.pid }

    private func read(_ file: String) -> AdminRecord? { Self.readOwn(file).flatMap { AdminRecord(json: $0) } }

    /// The file's bytes, if only this user can have written it.
    package static func readOwn(_ file: String) -> [UInt8]? {
        var status = stat()
        guard lstat(file, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { return nil }
        return try? Files.read(file)
    }

    /// The same as JSON; nil also for a broken one.
    static func readOwnJSON(_ file: String) -> JSONValue? {
        readOwn(file).flatMap { try? JSONReader.read($0, dialect: .strict) }
    }

    /// The process runs, and its port is open: after a reboot its number may be another program's.
    private func isAlive(_ record: AdminRecord) -> Bool {
        guard kill(record.pid, 0) == 0 || errno == EPERM else { return false }
        do throws(SystemError) {
            _ = try BlockingConnection(port: record.adminPort, seconds: 1)
            return true
        } catch {
            return error.code != ECONNREFUSED
        }
    }
}
