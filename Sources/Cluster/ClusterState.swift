/// What all nodes of a cluster share: the active profile, and all else that is switched while Shunt runs.
///
/// A value without sockets or clocks; times are milliseconds since 1970 of the database's clock.
public struct ClusterState: Sendable, Equatable {
    public var active: String
    /// By profile at most one each.
    public internal(set) var unlocked: [ClusterUnlock] = []
    /// By profile, the revision in which it was last locked by hand.
    public internal(set) var locked: [String: Int64] = [:]
    public var devices: [ClusterDevice] = []
    /// The profiles of users, by their names.
    public var choices: [String: String] = [:]
    public var mocks: [ClusterMock] = []
    public internal(set) var networks: [ClusterNetwork] = []

    public init(active: String) { self.active = active }
}

/// A profile of kind production that may be written to until its end.
public struct ClusterUnlock: Sendable, Equatable {
    /// Tells it from another one of the same profile.
    public let id: String
    public let profile: String
    public let reason: String
    /// How long it was asked for.
    public let seconds: Int
    /// By the database's clock.
    public let until: Int64
    /// The node that was asked.
    public let node: String
}

/// A device, as its profile is chosen on every node.
public struct ClusterDevice: Sendable, Equatable {
    public let name: String
    public let address: String?
    /// SHA-256 of the token, in hexadecimal digits.
    public let token: String?
    public let profile: String?
    /// The user to whom it belongs; nil where it belongs to none.
    public let user: String?
    /// Seconds since 1970.
    public let lastSeen: Int64

    public init(
        name: String, address: String?, token: String?, profile: String?, user: String? = nil, lastSeen: Int64
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.profile, self.user, self.lastSeen) = (profile, user, lastSeen)
    }
}

/// A mock that is off, or on for a device alone.
public struct ClusterMock: Sendable, Equatable {
    public let profile: String
    public let name: String
    public let device: String?
    public let isOn: Bool

    public init(profile: String, name: String, device: String?, isOn: Bool) {
        (self.profile, self.name, self.device, self.isOn) = (profile, name, device, isOn)
    }
}

/// A choice of conditions for the network of clients.
public struct ClusterNetwork: Sendable, Equatable {
    /// nil for the network that there is.
    public let network: String?
    /// nil for all clients.
    public let device: String?
    /// How long it was asked for; nil without an end.
    public let seconds: Int?
    /// By the database's clock; nil without an end.
    public let until: Int64?
}
