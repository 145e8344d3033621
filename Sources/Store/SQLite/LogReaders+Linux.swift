#if !canImport(Darwin)
import Platform

/// The processes that read an earlier state of a database, as the system's list of locks has them.
enum LogReaders {
    /// Bytes of the file `-shm` that readers lock (SQLite's unix VFS: `UNIX_SHM_BASE` and `WAL_READ_LOCK`).
    private static let bytes: ClosedRange<UInt64> = 123...127

    static func find(_ path: String) -> [(pid: Int32, name: String)] {
        var facts = stat()
        guard stat(path + "-shm", &facts) == 0, let list = try? Files.read("/proc/locks") else { return [] }
        var found: [(pid: Int32, name: String)] = []
        for line in list.split(separator: UInt8(ascii: "\n")) {
            // 1: POSIX  ADVISORY  READ 4711 08:01:131077 124 124
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 8, words[1] == "POSIX", let pid = Int32(words[4]), pid > 0, pid != getpid(),
                words[5].split(separator: ":").last == "\(facts.st_ino)", let byte = UInt64(words[6]),
                bytes.contains(byte), !found.contains(where: { $0.pid == pid })
            else { continue }
            let name = (try? Files.read("/proc/\(pid)/comm", limit: 256)).map {
                String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            }
            found.append((pid, name ?? "a program"))
        }
        return found
    }
}
#endif
