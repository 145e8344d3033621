import Engine

/// A listener of the admin interface: the names that it is reached by, and what it asks of clients.
struct AdminDoor: Sendable {
    /// Hosts with ports, in lower case, the one for links first.
    let hosts: [String]
    /// It speaks TLS alone, and responds to other machines.
    let isRemote: Bool
    /// The owner's token counts for clients on other machines, too.
    let admitsOwner: Bool
    /// How often a client may show what is not valid; nil where that is not limited.
    let attempts: AddressMeter?
    let port: UInt16

    /// The one of this machine.
    static func loopback(port: UInt16) -> AdminDoor {
        AdminDoor(
            hosts: ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"], isRemote: false, admitsOwner: true,
            attempts: nil, port: port)
    }

    /// - Parameter names: hosts, with a port where clients know another one.
    static func remote(names: [String], port: UInt16, admitsOwner: Bool) -> AdminDoor {
        let hosts = names.flatMap { name in
            let name = name.lowercased()
            let behindAddress = name.lastIndex(of: "]") ?? name.startIndex
            if let colon = name[behindAddress...].lastIndex(of: ":") {
                // Clients leave the usual port out.
                return name[colon...] == ":443" ? [String(name[..<colon]), name] : [name]
            }
            return port == 443 ? [name, "\(name):443"] : ["\(name):\(port)"]
        }
        return AdminDoor(
            hosts: hosts, isRemote: true, admitsOwner: admitsOwner,
            attempts: AddressMeter(10, every: 6 * Limits.second), port: port)
    }

    private var scheme: String { isRemote ? "https" : "http" }

    /// The URL for links, without a path.
    var url: String { "\(scheme)://\(hosts.first ?? "")" }

    func isOwn(origin: String) -> Bool { hosts.contains { "\(scheme)://\($0)" == origin.lowercased() } }

    /// A name of its own for each Shunt at a host, since cookies ignore ports.
    ///
    /// `__Host-` keeps other hosts of the domain from setting it (RFC 6265bis 4.1.3.2).
    var cookieName: String { (isRemote ? "__Host-" : "") + "shunt-inspector-\(port)" }
}
