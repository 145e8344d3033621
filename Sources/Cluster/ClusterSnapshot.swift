public import Reactor

/// The state of a cluster as a node has read it, and how the database's clock stood then.
public struct ClusterSnapshot: Sendable {
    public let revision: Int64
    /// Tells this revision from one of the same number in a database that was restored.
    let change: String
    public let state: ClusterState
    /// The node that made the last change.
    public let node: String
    /// Milliseconds since 1970 of the database's clock.
    public let databaseNow: Int64
    /// This machine's monotonic clock before the database was asked.
    public let asked: Instant

    public init(
        revision: Int64, change: String, state: ClusterState, node: String, databaseNow: Int64, asked: Instant
    ) {
        (self.revision, self.change, self.state) = (revision, change, state)
        (self.node, self.databaseNow, self.asked) = (node, databaseNow, asked)
    }

    /// When something ends by this machine's own monotonic clock.
    ///
    /// The time left is taken from the database's clock, and counted from the moment at which this node sent its query: a
    /// slow response makes the end come sooner, never later, and no wall clock of a node counts. The end is never later
    /// than was asked for.
    public func end(_ until: Int64, atMost seconds: Int) -> Instant {
        let (left, isBeyond) = until.subtractingReportingOverflow(databaseNow)
        guard !isBeyond, left > 0 else { return asked }
        let most = UInt64(max(0, seconds)) * 1000
        return asked.after(min(UInt64(left), most) * 1_000_000)
    }

    /// The same, read at another time.
    func at(databaseNow: Int64, asked: Instant) -> ClusterSnapshot {
        ClusterSnapshot(
            revision: revision, change: change, state: state, node: node, databaseNow: databaseNow, asked: asked)
    }

    func replacing(_ state: ClusterState) -> ClusterSnapshot {
        ClusterSnapshot(
            revision: revision, change: change, state: state, node: node, databaseNow: databaseNow, asked: asked)
    }
}
