import JSON

/// Which nodes of a cluster have taken a change over, for people.
struct TakeoverText {
    /// Nodes that are named in one line.
    private static let named = 10
    private let cluster: JSONValue

    /// - Parameter response: of a change; nil without a cluster.
    init?(_ response: JSONValue) {
        guard let cluster = response["cluster"], cluster.object != nil else { return nil }
        self.cluster = cluster
    }

    var isComplete: Bool { cluster["complete"]?.bool ?? false }

    private var nodes: [JSONValue] { cluster["nodes"]?.array ?? [] }

    /// `3 of 3 nodes`.
    var count: String {
        guard cluster["known"]?.bool == true else { return "an unknown number of nodes" }
        let done = cluster["done"]?.number?.int64 ?? 0
        return "\(done) of \(nodes.count) node\(nodes.count == 1 ? "" : "s")"
    }

    /// A line for each reason why nodes have not; empty if all have.
    /// - Parameter profile: the one that is to be active.
    func misses(_ profile: String?) -> String {
        guard cluster["known"]?.bool == true else {
            return "The database was lost after the change: see `shunt status` when it is back.\n"
        }
        var text = line("behind", "has not taken it over yet", "have not taken it over yet")
        let finishing = list("finishing").map { node in
            "\(node["name"]?.string ?? "") (\(node["unanswered"]?.number?.int64 ?? 0))"
        }
        if !finishing.isEmpty {
            text += "Requests that began before wait for their response: \(Self.names(finishing)).\n"
        }
        let silent = list("silent").map { node in
            "\(node["name"]?.string ?? "") (for \(StatusText.span(node["silence"]?.number?.int64 ?? 0)))"
        }
        if !silent.isEmpty {
            text += "Silent, and maybe not reached: \(Self.names(silent)).\n"
        }
        let lacking = list("lacking").map { node in
            "\(node["name"]?.string ?? "") (which stays with \(node["active"]?.string ?? ""))"
        }
        let overtaken = list("overtaken").map { $0["name"]?.string ?? "" }
        if let active = list("overtaken").first?["active"]?.string {
            text += "Profile \(active) was made active meanwhile: \(Self.names(overtaken)).\n"
        }
        if let profile, !lacking.isEmpty {
            text += "There is no profile \(profile) on \(Self.names(lacking)).\n"
        }
        return text
    }

    private func list(_ progress: String) -> [JSONValue] { nodes.filter { $0["progress"]?.string == progress } }

    private func line(_ progress: String, _ one: String, _ several: String) -> String {
        let names = list(progress).map { $0["name"]?.string ?? "" }
        guard !names.isEmpty else { return "" }
        return "\(Self.names(names)) \(names.count == 1 ? one : several).\n"
    }

    private static func names(_ names: [String]) -> String {
        names.prefix(named).joined(separator: ", ") + (names.count > named ? " and \(names.count - named) more" : "")
    }
}
