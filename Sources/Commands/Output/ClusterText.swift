import Admin

/// The cluster of a Shunt, for `shunt status`.
struct ClusterText {
    private let cluster: Record<API.Cluster>

    init(_ cluster: Record<API.Cluster>) { self.cluster = cluster }

    var lines: [String] {
        var lines = [
            "  cluster      \(cluster.group), revision \(cluster.revision), this is node \(cluster.node)",
            "    by \(cluster.database)",
        ]
        if let problem = cluster.problem {
            let since = cluster.lostAt.map { " for \(Words.span(Words.seconds(since: $0)))" } ?? ""
            lines.append("    WARNING: the database is away\(since), so this is the last known state: \(problem)")
        }
        for profile in cluster.waitingLocks {
            lines.append("    WARNING: profile \(profile) is locked here, but not yet on the other nodes")
        }
        for node in cluster.nodes { lines.append("    \(line(node))") }
        return lines
    }

    private func line(_ node: Record<API.ClusterNode>) -> String {
        let mark = node.isSelf ? "* " : "  "
        guard node.revision > 0 else { return "\(mark)\(node.name)  starts" }
        var text = "\(mark)\(node.name)  \(node.active), revision \(node.revision)  \(node.address)"
        if node.isSilent { text += "  SILENT for \(Words.span(node.silence))" }
        if let own = cluster.nodes.first(where: \.isSelf), node.digest != own.digest {
            text += "  its profiles differ (\(node.digest))"
        }
        return text
    }
}
