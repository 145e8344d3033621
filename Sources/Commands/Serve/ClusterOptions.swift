import Cluster
import Platform
import Postgres

/// The cluster to which a `serve` belongs, as its options say.
struct ClusterOptions: Sendable {
    /// nil for a Shunt of its own.
    var settings: ClusterSettings?
    /// Responses tell of the cluster.
    var hasField = false

    static let options = [
        Option.value(
            "cluster", "postgres://…",
            "Share the active profile, unlockings, devices, mocks and networks with every Shunt that is started "
                + "with this database. Its password comes from PGPASSFILE, PGPASSWORD or a service file."),
        .value(
            "cluster-group", "NAME", default: "default",
            "The name of the cluster, if that database has several."
        ).needing("cluster"),
        .flag(
            "cluster-field",
            "Add a field Shunt-Cluster to each response: node, revision, and whether the database cannot be "
                + "reached."
        ).needing("cluster"),
    ].map { $0.under("Clusters (see docs/cluster.md)") }

    static func read(_ arguments: Arguments, port: UInt16) throws -> ClusterOptions {
        var options = ClusterOptions()
        guard let text = arguments.text("cluster") else { return options }
        let group = arguments.text("cluster-group") ?? "default"
        guard ClusterSettings.isGroup(group) else {
            throw UsageError(
                "--cluster-group “\(group)” is not possible",
                advice: "Give at most 32 letters, digits, “-” and “_”.")
        }
        let node = arguments.text("node") ?? NodeName.usual(port: port)
        guard ClusterSettings.isNode(node) else {
            throw UsageError(
                "--node “\(node)” is not possible in a cluster",
                advice: "Give at most 64 letters, digits, “-”, “_”, “.” and “:”.")
        }
        guard PostgresAddress.isOne(text) else {
            throw UsageError(
                "--cluster is no address of PostgreSQL", advice: "Write postgres://USER@HOST:PORT/DATABASE.")
        }
        let address = try UsageError.of("--cluster", advice: "See docs/cluster.md.") { try PostgresAddress(text) }
        options.settings = ClusterSettings(address: address, group: group, node: node)
        options.hasField = arguments.has("cluster-field")
        return options
    }
}
