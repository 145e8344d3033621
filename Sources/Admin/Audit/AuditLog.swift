import Bytes
package import Platform
import Redaction

/// `.shunt/audit.jsonl` beside a folder of profiles: who has changed what, a line of JSON each.
///
/// Lines are appended, never changed. Several processes may append: they take turns by a lock on the file, which is
/// renamed when it is full, so that there are eight files at most.
public struct AuditLog: Sendable {
    /// Bytes of one file.
    public static let fileSize = 4 << 20
    /// Files in all, the one that grows included.
    public static let files = 8

    public let path: String
    private let directory: String
    private let size: Int
    private let redactor: Redactor

    /// - Parameter profilesDirectory: absolute.
    public init(profilesDirectory: String, fileSize: Int = Self.fileSize) {
        directory = AdminFile(profilesDirectory: profilesDirectory).directory
        path = directory + "/audit.jsonl"
        size = fileSize
        var generator = SystemRandomNumberGenerator()
        redactor = Redactor(key: (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Appends a line, without secrets and control characters, and returns when it is on the disk.
    package func append(_ entry: AuditEntry) throws(FileFailure) {
        var entry = entry
        // What was refused may be a name that there is not.
        if entry.refused != nil {
            entry.target = entry.target.map(redactor.redact(unknownName:))
            entry.after = entry.after.map(redactor.redact(unknownName:))
        }
        let line = entry.mapped { PlainText.clean(redactor.redact(text: $0)) }.bytes + [UInt8(ascii: "\n")]
        try Files.makeDirectory(directory, mode: 0o700)
        let descriptor = try opened()
        // The lock goes with the descriptor.
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure(path, "written") }
        let isWritten = Files.writeAll(line, to: descriptor) && fsync(descriptor) == 0
        guard isWritten else {
            let failure = FileFailure(path, "written")
            // Half a line would spoil the next one.
            _ = ftruncate(descriptor, status.st_size)
            throw failure
        }
    }

    /// The file, locked, with room for a line.
    private func opened() throws(FileFailure) -> CInt {
        while true {
            let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw FileFailure(path, "written") }
            do throws(FileFailure) { if try isReady(descriptor) { return descriptor } } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    /// Locks the file; false if it is not, or not any more, the one to append to.
    private func isReady(_ descriptor: CInt) throws(FileFailure) -> Bool {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileFailure(path, "locked") }
        }
        var (own, named) = (stat(), stat())
        guard fstat(descriptor, &own) == 0 else { throw FileFailure(path, "written") }
        // Another process may have renamed it while this one waited.
        guard lstat(path, &named) == 0, own.st_ino == named.st_ino, own.st_dev == named.st_dev else { return false }
        guard own.st_mode & S_IFMT == S_IFREG, own.st_uid == geteuid(), own.st_mode & 0o022 == 0 else {
            throw FileFailure(path, "written", code: EPERM)
        }
        guard own.st_size >= size else { return true }
        for number in (1..<Self.files - 1).reversed() { rename("\(path).\(number)", "\(path).\(number + 1)") }
        guard rename(path, path + ".1") == 0 else { throw FileFailure(path, "renamed") }
        return false
    }

    /// The newest lines that fit, the oldest first; lines that are not as Shunt writes them are left out.
    ///
    /// - Parameters:
    ///   - since: microseconds since 1970.
    ///   - user: nil for everybody.
    package func entries(since: Int64 = 0, user: String? = nil, limit: Int) throws(FileFailure) -> [AuditEntry] {
        var found: [AuditEntry] = []
        for number in 0..<Self.files where found.count < limit {
            let bytes: [UInt8]
            do throws(FileFailure) {
                bytes = try Files.read(number == 0 ? path : "\(path).\(number)", limit: 2 * size + (1 << 16))
            } catch {
                if error.isMissing { continue }
                throw error
            }
            var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
            while found.count < limit, let line = lines.popLast() {
                guard let entry = AuditEntry(json: Array(line)), !entry.action.isEmpty,
                    let time = CalendarTime.parse(entry.time), time >= since, user == nil || entry.who == user
                else { continue }
                found.append(entry)
            }
        }
        return found.reversed()
    }
}
