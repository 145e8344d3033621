#if os(Linux)
import CSystem
import Platform

extension ProgramFinder {
    static let knowsNamespaces = true

    /// - Parameter first: processes that are looked at before others.
    static func find(
        client: SocketAddress, server: SocketAddress, first: [Int32]
    ) -> (process: Int32, program: LocalProgram)? {
        let socket =
            isHere(client)
            ? inode(client, server).map { (inode: $0, namespace: NetworkNamespace?.none) }
            : NetworkNamespace.find(client, server)
        guard let socket, socket.inode != 0 else { return nil }
        return SocketHolder.find(["socket:[\(socket.inode)]"], first: newest + first) { process in
            program(of: process).map { program in
                var program = program
                program.container = socket.namespace?.container(of: process).map(LocalProgram.cleaned)
                return (process, program)
            }
        }
    }

    /// The numbers that processes were given last (proc_loadavg(5)): a command such as curl may end soon.
    private static var newest: [Int32] {
        let text = (try? Files.read("/proc/loadavg")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let last = text.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) } ?? 0
        return (0..<8).map { last &- $0 }.filter { $0 > 0 }
    }

    /// The inode of this user's socket with these ends.
    ///
    /// - Parameter space: the link of a process to another network namespace.
    /// - Returns: 0 where there is none, nil where the kernel cannot be asked.
    static func inode(_ own: SocketAddress, _ peer: SocketAddress, in space: String? = nil) -> UInt64? {
        var (inode, user): (UInt32, UInt32) = (0, 0)
        let result = own.bytes.withUnsafeBufferPointer { ownBytes in
            peer.bytes.withUnsafeBufferPointer { peerBytes in
                shunt_socket_inode(
                    space, own.domain, ownBytes.baseAddress, own.port, peerBytes.baseAddress, peer.port, own.scope,
                    &inode, &user)
            }
        }
        if result < 0 { return nil }
        return result > 0 && user == geteuid() ? UInt64(inode) : 0
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
