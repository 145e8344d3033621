#if os(Linux)
import CSystem
import Platform

extension ProgramFinder {
    /// - Parameter first: processes that are looked at before others.
    static func find(
        client: SocketAddress, server: SocketAddress, first: [Int32]
    ) -> (process: Int32, program: LocalProgram)? {
        var user: UInt32 = 0
        let inode = client.bytes.withUnsafeBufferPointer { own in
            server.bytes.withUnsafeBufferPointer { peer in
                shunt_socket_inode(
                    client.domain, own.baseAddress, client.port, peer.baseAddress, server.port, client.scope, &user)
            }
        }
        guard inode != 0, user == geteuid() else { return nil }
        return SocketHolder.find(["socket:[\(inode)]"], first: first) { process in
            program(of: process).map { (process, $0) }
        }
    }

    private static func program(of process: Int32) -> LocalProgram? {
        guard var path = SocketHolder.link("/proc/\(process)/exe") else { return nil }
        // The file was replaced while the program runs, as by an update.
        if path.hasSuffix(" (deleted)") { path.removeLast(" (deleted)".count) }
        return LocalProgram(executable: path, arguments: words("/proc/\(process)/cmdline"))
    }

    /// The words of a command line, the first 4 KiB of it.
    private static func words(_ path: String) -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { SystemCall.close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = max(0, read(file, &bytes, bytes.count))
        return bytes[..<count].split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Finds the processes that have sockets, as far as this user may see them (proc_pid_fd(5)).
package enum SocketHolder {
    /// What `use` makes of the first process that has one of the sockets before and after it is called; nil where none
    /// is seen.
    ///
    /// - Parameters:
    ///   - sockets: as links of descriptors name them, `socket:[4711]`.
    ///   - first: processes that are looked at before all others.
    package static func find<Found>(
        _ sockets: Set<String>, first: [Int32] = [], _ use: (Int32) -> Found?
    ) -> Found? {
        func look(_ process: Int32) -> Found? {
            let folder = "/proc/\(process)/fd"
            for name in (try? Files.names(in: folder)) ?? [] {
                guard let target = link("\(folder)/\(name)"), sockets.contains(target) else { continue }
                // The number of a process that has ended may be another's by now.
                if let found = use(process), link("\(folder)/\(name)") == target { return found }
            }
            return nil
        }
        for process in first { if let found = look(process) { return found } }
        // Programs that were started last are the ones that have not been seen yet.
        let all = ((try? Files.names(in: "/proc")) ?? []).compactMap { Int32($0) }.sorted(by: >)
        for process in all where !first.contains(process) { if let found = look(process) { return found } }
        return nil
    }

    static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
            let count = room.baseAddress.map { readlink(path, $0, room.count) } ?? -1
            return count > 0 ? String(decoding: UnsafeRawBufferPointer(room)[..<count], as: UTF8.self) : nil
        }
    }
}
#endif
