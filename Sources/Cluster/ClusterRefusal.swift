/// Why a change was not made on all nodes.
public enum ClusterRefusal: Error, Sendable, Equatable {
    /// The database cannot be reached; nothing was changed.
    case away(String)
    /// The database did not respond: whether the change counts is not known.
    case unknown(String)
    /// The database refused it.
    case database(String)
    /// Other nodes kept changing the state.
    case busy
    /// The profile was locked while the unlocking was on its way.
    case lockedMeanwhile(String)
    /// The state in the database cannot be read.
    case unreadable(String)
    /// The state would be larger than it may be.
    case tooLarge
    /// The change was given up, for a reason that the caller has.
    case abandoned
    case stopping

    public var message: String {
        switch self {
        case .away(let why): "the database of the cluster is away, and nothing was changed: \(why)"
        case .unknown(let why): "whether the change counts is not known: \(why)"
        case .database(let why): "the database of the cluster refused the change: \(why)"
        case .busy: "other nodes of the cluster change its state all the time"
        case .lockedMeanwhile(let profile): "profile “\(profile)” was locked on another node at the same time"
        case .unreadable(let why): "the state of the cluster cannot be read: \(why)"
        case .tooLarge: "the state of the cluster would be larger than \(ClusterState.maxBytes >> 10) KiB"
        case .abandoned: "the change was given up"
        case .stopping: "this node is stopping"
        }
    }

    public var advice: String {
        switch self {
        case .away: "Repeat it when the database is back; `shunt status` says when. `shunt lock` works without it."
        case .unknown: "See `shunt status`, and repeat it if it does not."
        case .database: "Compare the rights of the role with docs/cluster.md."
        case .busy, .abandoned: "Try again."
        case .lockedMeanwhile(let profile): "If it has to be written to all the same, unlock “\(profile)” again."
        case .unreadable: "Start the newest Shunt on every node."
        case .tooLarge: "Forget devices (`shunt devices forget`), or switch mocks back on."
        case .stopping: "Ask another node."
        }
    }
}
