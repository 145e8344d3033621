import Engine
import Reactor

/// The addresses that a proxy listens on, as options name them and as people call them.
enum ListenAddress {
    static func read(_ host: String, port: UInt16) -> SocketAddress? {
        if host == "localhost" { return .loopback(.ipv4, port: port) }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return SocketAddress(literal: bare, port: port)
    }

    /// Without hosts both loopback addresses, as far as the machine has them.
    static func list(_ hosts: [String], port: UInt16) -> [SocketAddress] {
        guard hosts.isEmpty else { return hosts.compactMap { read($0, port: port) } }
        var addresses = [SocketAddress.loopback(.ipv4, port: port)]
        // Browsers ask `localhost` for ::1 first; but a machine may do without IPv6.
        if (try? Listener(.loopback(.ipv6, port: 0), sharing: false)) != nil {
            addresses.append(.loopback(.ipv6, port: port))
        }
        return addresses
    }

    /// A port that is free at the first address, so that all can have the same.
    static func freePort(_ hosts: [String]) throws(SystemError) -> UInt16 {
        guard let first = list(hosts, port: 0).first else { return 0 }
        return try Listener(first, sharing: false).address.port
    }

    /// The hosts at which other machines find it; none for loopback.
    static func networkHosts(_ host: String) -> [String] {
        guard let address = SocketAddress(literal: host, port: 0), !address.isLoopback else { return [] }
        let isEverywhere = address.bytes.allSatisfy { $0 == 0 }
        let addresses = isEverywhere ? NetworkInterface.all().filter { !$0.isVirtual }.map(\.address) : [address]
        return addresses.filter { $0.family == .ipv4 || !isEverywhere }.map(\.host)
    }

    /// What to put into an app, secure ones first.
    static func urls(_ hosts: [String], port: UInt16) -> [String] {
        var names: [String] = []
        for host in hosts.isEmpty ? ["localhost"] : hosts {
            let name: String
            switch host {
            case "0.0.0.0", "::", "[::]": name = "localhost"
            default: name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
            if !names.contains(name) { names.append(name) }
        }
        return ["https", "http"].flatMap { scheme in names.map { "\(scheme)://\($0):\(port)" } }
    }
}
