import Bytes
import Platform

/// The store of an earlier Shunt, which was put beside for a new one.
public struct SetAsideStore: Sendable, Equatable {
    /// Where it was.
    public let path: String
    /// Its files, or its one folder; empty in PostgreSQL.
    public internal(set) var files: [String] = []
    /// The schema that it is now, in PostgreSQL.
    public internal(set) var schema: String?

    /// How long another Shunt is waited for that may be setting it aside at the moment.
    private static let (attempts, pause): (Int, UInt32) = (25, 20_000)

    /// Renames a file with those beside it, and makes an empty one; nil if another Shunt did so just now.
    ///
    /// - Parameter now: microseconds since 1970.
    static func file(_ path: String, now: Int64) throws(StoreFailure) -> SetAsideStore? {
        let lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw refusal(path) }
        defer { StoreFiles.closeLocked(lock) }
        for attempt in 1... {
            let isAlone = flock(lock, LOCK_EX | LOCK_NB) == 0
            // It is open here for a moment only, whereby SQLite empties its log if no other program has it open.
            guard try isEarlier(path) else { return nil }
            if isAlone { break }
            guard attempt < attempts else { throw inUse(path) }
            usleep(pause)
        }
        guard !StoreFiles.isDiskFull(path) else {
            throw StoreFailure(
                .diskFull, path: path, "an earlier Shunt wrote it, and the disk has no room for a new one")
        }
        let place = real(path)
        let name = try free(place, now) { name in !["", "-wal", "-shm"].contains { Files.exists(name + $0) } }
        var moved: [String] = []
        // The file itself goes last: without it SQLite would remove the log.
        for suffix in ["-shm", "-wal", ""] where Files.exists(place + suffix) {
            guard rename(place + suffix, name + suffix) == 0 else {
                let failure = refusal(path)
                for suffix in moved { _ = rename(name + suffix, place + suffix) }
                throw failure
            }
            chmod(name + suffix, 0o600)
            moved.append(suffix)
        }
        try StoreFiles.prepare(place)
        return SetAsideStore(path: path, files: moved.reversed().map { name + $0 })
    }

    /// Renames a folder, and makes an empty one.
    static func folder(_ path: String, now: Int64) throws(StoreFailure) -> SetAsideStore {
        let lock = open(SealedFolder.lock(path), O_RDWR | O_CLOEXEC)
        defer { if lock >= 0 { StoreFiles.closeLocked(lock) } }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw inUse(path) }
        let place = real(path)
        let name = try free(place, now) { !Files.exists($0) }
        guard rename(place, name) == 0 else { throw refusal(path) }
        chmod(name, 0o700)
        mkdir(place, 0o700)
        return SetAsideStore(path: path, files: [name])
    }

    /// A name with the day that nothing has yet.
    static func free(
        _ name: String, _ now: Int64, separator: String = ".", _ isFree: (String) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) -> String {
        let day = CalendarDate(daysSince1970: now.dividedFloor(by: 86_400_000_000)).text
        var (dated, number) = ("\(name)\(separator)\(day)", 1)
        while try !isFree(dated) {
            number += 1
            dated = "\(name)\(separator)\(day)\(separator)\(number)"
        }
        return dated
    }

    static func inUse(_ path: String, by nodes: String = "an earlier Shunt") -> StoreFailure {
        StoreFailure(
            .busy, path: path,
            "an earlier Shunt wrote it, and \(nodes) records into it at present; end that one, or name another store with "
                + "--store")
    }

    private static func isEarlier(_ path: String) throws(StoreFailure) -> Bool {
        do throws(StoreFailure) {
            guard StoreFiles.exists(path) else { return false }
            _ = try StoreSchema.isEmpty(try SQLiteConnection(path: path, isReadOnly: false))
            return false
        } catch {
            guard error.kind == .earlierVersion else { throw error }
            return true
        }
    }

    /// Behind links, which stay.
    private static func real(_ path: String) -> String {
        guard let known = realpath(path, nil) else { return path }
        defer { Platform.free(known) }
        return String(cString: known)
    }

    /// What the last system call has failed of.
    private static func refusal(_ path: String) -> StoreFailure {
        StoreFailure(
            .readOnly, path: path,
            "an earlier Shunt wrote it, and it cannot be renamed: \(systemReason()); move it away, or name another store with "
                + "--store")
    }
}
