#if canImport(Darwin)
import Platform

extension ProgramFinder {
    static let knowsNamespaces = false

    /// - Parameter first: processes that are looked at before others.
    static func find(
        client: SocketAddress, server: SocketAddress, first: [Int32]
    ) -> (process: Int32, program: LocalProgram)? {
        func look(_ process: Int32) -> (Int32, LocalProgram)? {
            guard has(process, client, server), let program = program(of: process), has(process, client, server)
            else { return nil }
            return (process, program)
        }
        for process in first { if let found = look(process) { return found } }
        for process in processes() where !first.contains(process) { if let found = look(process) { return found } }
        return nil
    }

    /// Those of this user; ones that were started last come first.
    private static func processes() -> [Int32] {
        let (type, user) = (UInt32(PROC_UID_ONLY), geteuid())
        let size = proc_listpids(type, user, nil, 0)
        guard size > 0 else { return [] }
        // Others may start meanwhile.
        var list = [Int32](repeating: 0, count: Int(size) / MemoryLayout<Int32>.stride + 64)
        let used = proc_listpids(type, user, &list, CInt(list.count * MemoryLayout<Int32>.stride))
        return list.prefix(max(0, Int(used)) / MemoryLayout<Int32>.stride).filter { $0 > 0 }.sorted(by: >)
    }

    /// Whether a process has the TCP socket with these ends.
    private static func has(_ process: Int32, _ own: SocketAddress, _ peer: SocketAddress) -> Bool {
        let size = proc_pidinfo(process, PROC_PIDLISTFDS, 0, nil, 0)
        guard size > 0 else { return false }
        let stride = MemoryLayout<proc_fdinfo>.stride
        var list = [proc_fdinfo](repeating: proc_fdinfo(), count: Int(size) / stride + 16)
        let used = proc_pidinfo(process, PROC_PIDLISTFDS, 0, &list, CInt(list.count * stride))
        for entry in list.prefix(max(0, Int(used)) / stride) where entry.proc_fdtype == UInt32(PROX_FDTYPE_SOCKET) {
            var info = socket_fdinfo()
            let size = CInt(MemoryLayout<socket_fdinfo>.size)
            guard proc_pidfdinfo(process, entry.proc_fd, PROC_PIDFDSOCKETINFO, &info, size) == size,
                info.psi.soi_kind == CInt(SOCKINFO_TCP)
            else { continue }
            let ends = info.psi.soi_proto.pri_tcp.tcpsi_ini
            if isPort(ends.insi_lport, own.port), isPort(ends.insi_fport, peer.port), isAddress(ends.insi_laddr, own) {
                return true
            }
        }
        return false
    }

    /// The system has ports in network order.
    private static func isPort(_ value: CInt, _ port: UInt16) -> Bool {
        UInt16(truncatingIfNeeded: value).byteSwapped == port
    }

    /// An IPv4 address is in the last 4 of 16 bytes, also where it is mapped into IPv6.
    private static func isAddress(_ value: some Any, _ address: SocketAddress) -> Bool {
        withUnsafeBytes(of: value) { $0.suffix(address.bytes.count).elementsEqual(address.bytes) }
    }

    private static func program(of process: Int32) -> LocalProgram? {
        var path = [CChar](repeating: 0, count: 4 * Int(MAXPATHLEN))
        guard case let count = proc_pidpath(process, &path, UInt32(path.count)), count > 0 else { return nil }
        let executable = String(decoding: path[..<Int(count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return LocalProgram(executable: executable, arguments: words(of: process))
    }

    /// The words of its command line, the first ones of a long one.
    private static func words(of process: Int32) -> [String] {
        var name = [CTL_KERN, KERN_PROCARGS2, process]
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        var size = bytes.count
        guard sysctl(&name, 3, &bytes, &size, nil, 0) == 0, size > 4 else { return [] }
        // Their number, the path, padding, and the words, each with a NUL behind it; the environment follows.
        let count = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
        let rest = bytes[4..<size].drop { $0 != 0 }.drop { $0 == 0 }
        return rest.split(separator: 0, maxSplits: 64, omittingEmptySubsequences: false)
            .prefix(min(64, max(0, Int(count)))).map { String(decoding: $0, as: UTF8.self) }
    }
}
#endif
