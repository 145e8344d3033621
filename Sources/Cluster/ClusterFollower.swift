/// What takes the state of a cluster over on a node; called on the cluster's own thread alone.
public protocol ClusterFollower: AnyObject, Sendable {
    /// The state of this node, which becomes that of a cluster without one.
    func seed() -> ClusterState

    /// Takes a state over, or the time of a state that it has.
    ///
    /// Returns true when every request that begins from then on is served by it.
    func apply(_ snapshot: ClusterSnapshot) -> Bool

    var presence: ClusterPresence { get }

    /// How many requests that were routed before the last change wait for their response, asked anew.
    func unanswered() -> Int

    /// Keeps for the next start which profiles were locked here without the database knowing it; returns when that is
    /// written.
    func keep(waitingLocks: [String])

    /// The database was lost or is back, or a revision was taken over.
    func changed(from old: ClusterCondition, to new: ClusterCondition)
}
