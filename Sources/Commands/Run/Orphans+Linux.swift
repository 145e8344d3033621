#if canImport(Glibc) || canImport(Musl)
import Bytes
import Platform

/// Processes whose parents have ended, so that they are children of this one now.
enum Orphans {
    /// - Parameter others: children that are none.
    static func ofThisProcess(but others: Set<pid_t>) -> [pid_t] {
        // The kernel lists children by the thread that they belong to; those that were adopted, by the first one.
        let own = getpid()
        if let list = try? Files.read("/proc/\(own)/task/\(own)/children") {
            return String(decoding: list, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
                .filter { !others.contains($0) }
        }
        return ((try? Files.names(in: "/proc")) ?? []).compactMap { pid_t($0) }.filter { pid in
            !others.contains(pid) && parent(of: pid) == own
        }
    }

    /// From proc_pid_stat(5): behind the name, which may have anything in it, stand the state and the parent.
    private static func parent(of pid: pid_t) -> pid_t? {
        guard let bytes = try? Files.read("/proc/\(pid)/stat"), let end = bytes.lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        let words = bytes[(end + 1)...].split(separator: 0x20)
        return words.count > 1 ? pid_t(String(decoding: words[1], as: UTF8.self)) : nil
    }
}
#endif
