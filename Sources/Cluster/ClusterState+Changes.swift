import Platform

/// The moment at which a change is made: which state it changes, and what the time is.
public struct ClusterMoment: Sendable {
    /// The revision of the state that is changed.
    public let revision: Int64
    /// The revision that the node knew when it was asked for the change.
    public let asked: Int64
    /// Milliseconds since 1970 of the database's clock.
    public let databaseNow: Int64
    public let node: String

    public init(revision: Int64, asked: Int64, databaseNow: Int64, node: String) {
        (self.revision, self.asked) = (revision, asked)
        (self.databaseNow, self.node) = (databaseNow, node)
    }

    func end(after seconds: Int) -> Int64 { databaseNow + Int64(seconds) * 1000 }
}

extension ClusterState {
    /// Unlocks a profile, unless it was locked in a revision of which the asking node did not know.
    ///
    /// The end is by the database's clock, so that no node's own can move it.
    public mutating func unlock(
        _ profile: String, seconds: Int, reason: String, at moment: ClusterMoment
    ) throws(ClusterRefusal) {
        if let locked = locked[profile], locked > moment.asked { throw .lockedMeanwhile(profile) }
        unlocked.removeAll { $0.profile == profile }
        unlocked.append(
            ClusterUnlock(
                id: Self.randomText(), profile: profile, reason: reason, seconds: seconds,
                until: moment.end(after: seconds), node: moment.node))
        unlocked.sort { $0.profile < $1.profile }
    }

    /// Locks a profile, also one that is locked already: an unlocking on its way from another node comes too late.
    public mutating func lock(_ profile: String, at moment: ClusterMoment) {
        unlocked.removeAll { $0.profile == profile }
        locked[profile] = moment.revision + 1
    }

    /// Chooses conditions for all clients or for one device.
    public mutating func choose(network: String?, for device: String?, seconds: Int?, at moment: ClusterMoment) {
        networks.removeAll { $0.device == device }
        networks.append(
            ClusterNetwork(
                network: network, device: device, seconds: seconds, until: seconds.map { moment.end(after: $0) }))
        networks.sort { ($0.device ?? "") < ($1.device ?? "") }
    }

    /// - Returns: whether there was a choice.
    @discardableResult
    public mutating func forgetNetwork(of device: String?) -> Bool {
        let count = networks.count
        networks.removeAll { $0.device == device }
        return networks.count < count
    }

    /// Removes what has ended.
    mutating func prune(databaseNow: Int64) {
        unlocked.removeAll { $0.until <= databaseNow }
        networks.removeAll { ($0.until ?? .max) <= databaseNow }
    }

    /// The same with these profiles locked.
    func locking(_ profiles: Set<String>) -> ClusterState {
        var state = self
        state.unlocked.removeAll { profiles.contains($0.profile) }
        return state
    }

    /// The same with every profile locked and without choices that end: what a node may begin with that cannot ask.
    ///
    /// It has no revisions of locks, since the database may be another one, which counts anew.
    public var withoutEnds: ClusterState {
        var state = self
        (state.unlocked, state.locked) = ([], [:])
        state.networks.removeAll { $0.until != nil }
        return state
    }

    static func randomText() -> String {
        let number = UInt64.random(in: .min ... .max)
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
