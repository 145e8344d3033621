import JSON
public import Platform

/// `running/PID.json` in the user's data folder: leads from any folder to every running Shunt of this user.
///
/// An entry names the project, whose ``AdminFile`` has address and token; it holds no secret itself.
public struct RunningList: Sendable {
    /// The folder with one file per running Shunt.
    public let directory: String

    /// nil where the user has no data folder.
    public init?() {
        guard let data = UserFolder.data else { return nil }
        directory = data + "/running"
    }

    private func path(_ pid: Int32) -> String { "\(directory)/\(pid).json" }

    /// Adds a Shunt, or restores its entry.
    public func add(_ record: AdminRecord) throws(FileFailure) {
        try Files.makeDirectory(Path.directory(of: directory), mode: 0o700)
        try Files.makeDirectory(directory, mode: 0o700)
        let json = JSONWriter.object([
            "pid": record.pid, "port": record.port, "profilesDirectory": record.profilesDirectory,
        ])
        try Files.write(json + [UInt8(ascii: "\n")], to: path(record.pid), mode: 0o600)
    }

    public func contains(_ record: AdminRecord) -> Bool { Files.exists(path(record.pid)) }

    public func remove(pid: Int32) { unlink(path(pid)) }

    /// Every running Shunt of this user, by port; entries of processes that have ended are removed.
    public func running() -> [AdminRecord] {
        var found: [AdminRecord] = []
        for name in (try? Files.names(in: directory)) ?? [] where name.hasSuffix(".json") {
            let file = directory + "/" + name
            guard let value = AdminFile.readOwnJSON(file),
                let pid = value["pid"]?.number?.int64.flatMap({ Int32(exactly: $0) }), pid > 0,
                let project = value["profilesDirectory"]?.string, project.hasPrefix("/")
            else { continue }
            if let record = AdminFile(profilesDirectory: project).running().first(where: { $0.pid == pid }) {
                found.append(record)
            } else if kill(pid, 0) != 0, errno == ESRCH {
                unlink(file)
            }
        }
        return found.sorted { $0.port < $1.port }
    }
}
