#if canImport(Glibc)
import Admin
import Platform
import Reactor

/// Finds out who listens on a port, as far as this user may see it.
enum PortHolder {
    /// `node (pid 4242)`, or nil where the system does not tell.
    static func find(_ port: UInt16) -> String? {
        let inodes = listeningInodes(port)
        guard !inodes.isEmpty else { return nil }
        let holder = SocketHolder.find(inodes) { process in
            let command = (try? Files.read("/proc/\(process)/comm")).map { String(decoding: $0, as: UTF8.self) }
            return "\(command?.split(separator: "\n").first ?? "a process") (pid \(process))"
        }
        return holder ?? "a process of another user"
    }

    /// What to type to find out more.
    static func advice(_ port: UInt16) -> String { "See who it is: sudo ss -ltnp 'sport = :\(port)'" }

    /// Targets of the descriptor links of sockets that listen there: `socket:[12345]`.
    private static func listeningInodes(_ port: UInt16) -> Set<String> {
        var found: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let bytes = try? Files.read(table) else { continue }
            // proc_pid_net(5): sl, local_address, rem_address, st, ..., inode as the tenth column.
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ", omittingEmptySubsequences: true)
                guard columns.count > 9, columns[3] == "0A",
                    columns[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) == port
                else { continue }
                found.insert("socket:[\(columns[9])]")
            }
        }
        return found
    }
}
#endif
