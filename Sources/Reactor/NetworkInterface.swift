import Platform
import Synchronization

/// An address that this machine has in one of its networks.
public struct NetworkInterface: Sendable {
    /// The system's name for the interface, such as `en0`.
    public let name: String
    /// With port 0.
    public let address: SocketAddress

    public init(name: String, address: SocketAddress) {
        self.name = name
        self.address = address
    }

    /// Whether the network is inside this machine, as those of containers and virtual machines mostly are.
    public var isVirtual: Bool {
        [
            "docker", "br-", "bridge", "veth", "virbr", "vmnet", "lxc", "podman", "utun", "tun", "tap", "wg", "awdl",
            "llw", "anpi", "vmenet", "feth", "gif", "stf",
        ]
        .contains { name.hasPrefix($0) }
    }

    /// All that are up, without loopback, those first at which other machines most likely find this one.
    public static func all() -> [NetworkInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [NetworkInterface] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let flags = CInt(truncatingIfNeeded: entry.pointee.ifa_flags)
            guard flags & CInt(IFF_UP) != 0, let raw = entry.pointee.ifa_addr,
                let address = SocketAddress(UnsafePointer(raw)),
                !address.isLoopback, let name = entry.pointee.ifa_name
            else { continue }
            found.append(NetworkInterface(name: String(cString: name), address: address))
        }
        return ranked(found)
    }

    /// Real networks first, addresses that hold in one network alone behind others, IPv4 before IPv6, otherwise in the
    /// system's order.
    package static func ranked(_ found: [NetworkInterface]) -> [NetworkInterface] {
        let ranks = found.map {
            ($0.isVirtual ? 4 : 0) + ($0.address.isLinkLocal ? 2 : 0) + ($0.address.family == .ipv4 ? 0 : 1)
        }
        return found.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { found[$0] }
    }

    /// Nanoseconds for which the addresses of this machine are taken to be the same.
    private static let lifetime: UInt64 = 1_000_000_000
    private static let known = Mutex<(addresses: Set<[UInt8]>, until: Instant)>(([], 0))

    /// The bytes of all addresses of ``all()``, as they are now or were a second ago: to ask the system for each
    /// request would be too dear.
    public static func ownAddresses() -> Set<[UInt8]> {
        known.withLock { known in
            let now = Instant.now()
            if now >= known.until { known = (Set(all().map(\.address.bytes)), now.after(lifetime)) }
            return known.addresses
        }
    }
}
