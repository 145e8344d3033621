public import Postgres

/// Which cluster a node belongs to.
public struct ClusterSettings: Sendable {
    public let address: PostgresAddress
    public let group: String
    public let node: String

    /// - Parameters:
    ///   - group: what ``isGroup(_:)`` accepts.
    ///   - node: the name by which people know this node.
    public init(address: PostgresAddress, group: String = "default", node: String) {
        (self.address, self.group, self.node) = (address, group, node)
    }

    /// The database, as it may be shown.
    public var database: String { address.description }

    /// Whether a text may name a group: it becomes part of a file's name.
    public static func isGroup(_ text: String) -> Bool { isName(text, most: 32, more: "-_") }

    /// Whether a text may name a node: it is shown in terminals and in a response's field.
    public static func isNode(_ text: String) -> Bool { isName(text, most: 64, more: "-_.:") }

    private static func isName(_ text: String, most: Int, more: String) -> Bool {
        !text.isEmpty && text.utf8.count <= most
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: more.utf8.contains(byte)
                }
            }
    }
}

/// What a node tells of itself.
public struct ClusterPresence: Sendable, Equatable {
    public let active: String
    /// Of the profiles, as this node reads them.
    public let digest: String

    /// Requests that were routed before the state was taken over and wait for their response, when it was.
    public let unanswered: Int

    public init(active: String, digest: String, unanswered: Int) {
        (self.active, self.digest, self.unanswered) = (active, digest, unanswered)
    }
}

/// How a node stands with the database.
public struct ClusterCondition: Sendable, Equatable {
    /// The revision that this node has taken over; 0 for none.
    public internal(set) var revision: Int64 = 0
    /// Why the database is away; nil while it is there.
    public internal(set) var problem: String?
    /// Seconds since 1970 at which it was lost; nil while it is there.
    public internal(set) var lostAt: Int64?
    /// Profiles that were locked here while the database was away, which it does not know yet.
    public internal(set) var waitingLocks: [String] = []

    public var isAway: Bool { problem != nil }
}
