import Cluster
import JSON

/// The cluster of a node, as status tells of it.
public struct ClusterFigures: Sendable {
    public struct Node: Sendable {
        public let name: String
        public let address: String
        public let version: String
        public let revision: Int
        public let active: String
        public let digest: String
        /// Seconds since it was heard of.
        public let silence: Int
        public let isSilent: Bool
        /// It is the one that tells.
        public let isSelf: Bool
    }

    public let group: String
    public let node: String
    public let database: String
    public let revision: Int
    /// Why the database is away; nil while it is there.
    public let problem: String?
    /// Seconds since 1970 at which it was lost.
    public let lostAt: Int64?
    /// Profiles that were locked here, which the other nodes do not know yet.
    public let waitingLocks: [String]
    /// All that the database knows; empty while it is away.
    public let nodes: [Node]

    init(_ cluster: ClusterMember) async {
        let condition = cluster.condition
        group = cluster.settings.group
        node = cluster.settings.node
        database = cluster.settings.database
        revision = Int(clamping: condition.revision)
        problem = condition.problem
        lostAt = condition.lostAt
        waitingLocks = condition.waitingLocks
        nodes = (await cluster.nodes() ?? []).map {
            Node(
                name: $0.name, address: $0.address, version: $0.version, revision: Int(clamping: $0.revision),
                active: $0.active, digest: $0.digest, silence: Int(clamping: $0.silence / 1000), isSilent: $0.isSilent,
                isSelf: $0.id == cluster.id)
        }
    }

    /// The digest of this node's own profiles.
    public var ownDigest: String? { nodes.first { $0.isSelf }?.digest }

    func write(_ object: inout JSONWriter) {
        object.member("group", group)
        object.member("node", node)
        object.member("database", database)
        object.member("revision", revision)
        object.member("problem", problem)
        object.key("lostAt")
        if let lostAt { object.value(lostAt) } else { object.null() }
        object.member("waitingLocks", waitingLocks)
        object.array("nodes") { array in
            for node in nodes {
                array.object { object in
                    object.member("name", node.name)
                    object.member("address", node.address)
                    object.member("version", node.version)
                    object.member("revision", node.revision)
                    object.member("active", node.active)
                    object.member("digest", node.digest)
                    object.member("silence", node.silence)
                    object.member("silent", node.isSilent)
                    object.member("self", node.isSelf)
                }
            }
        }
    }

    init?(_ value: JSONValue?) {
        func int(_ value: JSONValue, _ name: String) -> Int { value[name]?.number?.int64.map { Int($0) } ?? 0 }
        guard let value, let group = value["group"]?.string else { return nil }
        self.group = group
        node = value["node"]?.string ?? ""
        database = value["database"]?.string ?? ""
        revision = int(value, "revision")
        problem = value["problem"]?.string
        lostAt = value["lostAt"]?.number?.int64
        waitingLocks = value["waitingLocks"]?.array?.compactMap(\.string) ?? []
        nodes = (value["nodes"]?.array ?? []).map { node in
            Node(
                name: node["name"]?.string ?? "", address: node["address"]?.string ?? "",
                version: node["version"]?.string ?? "", revision: int(node, "revision"),
                active: node["active"]?.string ?? "", digest: node["digest"]?.string ?? "",
                silence: int(node, "silence"), isSilent: node["silent"]?.bool ?? false,
                isSelf: node["self"]?.bool ?? false)
        }
    }
}
