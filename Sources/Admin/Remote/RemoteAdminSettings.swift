public import Reactor
public import TLS

/// How the admin interface is reached from other machines.
public struct RemoteAdminSettings: Sendable {
    public var address: SocketAddress
    public var identities: Identities
    /// The names that clients may use, with a port where it is not the listener's.
    public var hosts: [String]
    /// The owner's token counts for clients on other machines.
    public var admitsOwner: Bool

    public init(address: SocketAddress, identities: Identities, hosts: [String], admitsOwner: Bool) {
        (self.address, self.identities, self.hosts, self.admitsOwner) = (address, identities, hosts, admitsOwner)
    }
}
