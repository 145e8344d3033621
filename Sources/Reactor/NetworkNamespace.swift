#if os(Linux)
import Bytes
import Platform
import Synchronization

/// A network of its own within this machine, as containers have one (network_namespaces(7)).
///
/// It is looked into through one of its processes, which has to be one of this user.
struct NetworkNamespace {
    /// As links name it, `net:[4026532178]`.
    let name: String
    /// One of its processes.
    let process: Int32

    /// Where there are more, none is looked into: an address would not be known to be that of one alone.
    private static let limit = 64
    /// Nanoseconds for which they are taken to be the same.
    private static let lifetime: UInt64 = 1_000_000_000
    private static let known = Mutex<(all: [NetworkNamespace], until: Instant)>(([], 0))

    /// The inode of this user's socket at the other end of a connection; nil where none or several may be it.
    static func find(_ client: SocketAddress, _ server: SocketAddress) -> (inode: UInt64, namespace: NetworkNamespace?)?
    {
        guard isWithinMachine(client) else { return nil }
        let now = Instant.now()
        let known = known.withLock { $0 }
        if now < known.until, let found = find(client, server, known.all) { return found }
        // It may have begun since.
        let all = all()
        Self.known.withLock { $0 = (all, now.after(lifetime)) }
        return find(client, server, all)
    }

    private static func find(
        _ client: SocketAddress, _ server: SocketAddress, _ all: [NetworkNamespace]
    ) -> (inode: UInt64, namespace: NetworkNamespace?)? {
        let owners = all.filter { $0.has(client) }
        guard owners.count == 1, let inode = owners[0].inode(client, server), inode != 0 else { return nil }
        return (inode, owners[0])
    }

    /// Whether packets to an address leave by an interface without hardware, such as a bridge or a pair of veth(4).
    ///
    /// What comes from a real network is not of this machine, even if something in a namespace has the same address.
    private static func isWithinMachine(_ client: SocketAddress) -> Bool {
        // SOCK_CLOEXEC is the same bit, whose type differs between libraries.
        let probe = socket(client.domain, SystemCall.datagramType | O_CLOEXEC, 0)
        guard probe >= 0 else { return false }
        defer { SystemCall.close(probe) }
        // Sends nothing, and finds the route.
        guard client.withSockaddr({ connect(probe, $0, $1) }) == 0,
            let own = SocketAddress.read(probe, getsockname),
            let interface = NetworkInterface.all().first(where: { $0.address.bytes == own.bytes })
        else { return false }
        return SocketHolder.link("/sys/class/net/\(interface.name)")?.contains("/devices/virtual/") == true
    }

    /// Those of this user's processes, without the one of this process; none where there are too many.
    private static func all() -> [NetworkNamespace] {
        guard let own = SocketHolder.link("/proc/self/ns/net") else { return [] }
        var found: [String: NetworkNamespace] = [:]
        for process in ((try? Files.names(in: "/proc")) ?? []).compactMap({ Int32($0) }) {
            guard let name = SocketHolder.link("/proc/\(process)/ns/net"), name != own, found[name] == nil else {
                continue
            }
            if found.count == limit { return [] }
            found[name] = NetworkNamespace(name: name, process: process)
        }
        return Array(found.values)
    }

    /// Whether an address is one of its own.
    private func has(_ address: SocketAddress) -> Bool {
        switch address.family {
        case .ipv4:
            // Below each address stands what it is.
            let lines = lines("fib_trie")
            return zip(lines, lines.dropFirst()).contains { line, next in
                line.hasSuffix("|-- \(address.host)") && next.hasSuffix("/32 host LOCAL")
            }
        case .ipv6:
            let digits = Hex.text(address.bytes)
            return lines("if_inet6").contains { $0.hasPrefix(digits) }
        }
    }

    /// The inode of this user's socket with these ends; nil or 0 where there is none.
    private func inode(_ own: SocketAddress, _ peer: SocketAddress) -> UInt64? {
        if let inode = ProgramFinder.inode(own, peer, in: "/proc/\(process)/ns/net") { return inode }
        // It takes privileges to enter a namespace, and none to read its tables, which takes some milliseconds.
        let line = line(own, peer, asSix: false) ?? (own.family == .ipv4 ? line(own, peer, asSix: true) : nil)
        // Number, both ends, state, queues, timer, retransmissions, user, timeout, and inode (proc_net(5)).
        guard let fields = line?.split(separator: " "), fields.count > 9, UInt32(fields[7]) == geteuid() else {
            return nil
        }
        return UInt64(fields[9])
    }

    /// - Parameter asSix: for a socket of both families, whose addresses are mapped.
    private func line(_ own: SocketAddress, _ peer: SocketAddress, asSix: Bool) -> Substring? {
        let ends = " \(Self.text(own, asSix: asSix)) \(Self.text(peer, asSix: asSix)) "
        return lines(asSix || own.family == .ipv6 ? "tcp6" : "tcp").first { $0.contains(ends) }
    }

    /// Address and port as proc_net(5) has them: words of four bytes, each as a number of this machine.
    private static func text(_ address: SocketAddress, asSix: Bool) -> String {
        let bytes = asSix ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes : address.bytes
        let words = stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
        func digits(_ number: some FixedWidthInteger) -> String {
            withUnsafeBytes(of: number.bigEndian) { Hex.text($0) }
        }
        return "\(words.map(digits).joined()):\(digits(address.port))".uppercased()
    }

    private func lines(_ table: String) -> [Substring] {
        let bytes = (try? Files.read("/proc/\(process)/net/\(table)")) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    // MARK: Containers

    /// The container of one of its processes: the short ID that docker(1) and podman(1) list, or the name that
    /// ip-netns(8) knows.
    func container(of process: Int32) -> String? {
        let groups = (try? Files.read("/proc/\(process)/cgroup", limit: 64 << 10)) ?? []
        let isHex = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        if let id = groups.split(whereSeparator: { !isHex($0) }).first(where: { $0.count == 64 }) {
            return String(decoding: id.prefix(12), as: UTF8.self)
        }
        return ((try? Files.names(in: Self.named)) ?? []).first { entry in
            var status = stat()
            return stat("\(Self.named)/\(entry)", &status) == 0 && name == "net:[\(status.st_ino)]"
        }
    }

    private static let named = "/run/netns"
}
#endif
