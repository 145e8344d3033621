/// The times of a cluster, in milliseconds.
enum ClusterTimes {
    /// Between two looks at the database, each with a heartbeat: a notification that was lost is made up for by then.
    static let look = 2_000
    /// After which a node counts as silent.
    static let silence: Int64 = 6_000
    /// After which a silent node is forgotten; it has told the log of its own machine by then.
    static let forgotten: Int64 = 300_000
    /// After which a node is forgotten that has never begun.
    static let start: Int64 = 30_000
    static let connect = 3_000
    /// For one statement; the server gives up a little earlier, so that hardly any outcome stays unknown.
    static let statement = 2_000
    static let serverStatement = 1_800
    /// A change that has waited this long is refused: the command that asked for it has gone.
    static let change = 4_000
    /// Between two attempts to connect, at first and at most.
    static let retry = 100...5_000
    /// Between two looks at the requests that wait for the response of an earlier profile.
    static let unanswered = 5...200
    /// Between two looks at which nodes have taken a revision over, at first and at most.
    static let takeover = 3...50
}
