import Admin

// Which nodes of a cluster have taken a change over, for people.
extension Record<API.Takeover> {
    /// `3 of 3 nodes`.
    var count: String {
        self.isKnown ? "\(self.done) of \(Words.count(self.nodes.count, "node"))" : "an unknown number of nodes"
    }

    /// A line for each reason why nodes have not; empty if all have.
    /// - Parameter profile: the one that is to be active.
    func misses(_ profile: String?) -> String {
        guard self.isKnown else {
            return "The database was lost after the change: see `shunt status` when it is back.\n"
        }
        var text = ""
        if let behind = names("behind") {
            let isOne = self.nodes.count { $0.progress == "behind" } == 1
            text += "\(behind) \(isOne ? "has" : "have") not taken it over yet.\n"
        }
        if let finishing = names("finishing", { " (\($0.unanswered))" }) {
            text += "Requests that began before wait for their response: \(finishing).\n"
        }
        if let silent = names("silent", { " (for \(Words.span($0.silence)))" }) {
            text += "Silent, and maybe not reached: \(silent).\n"
        }
        if let overtaken = names("overtaken"), let node = self.nodes.first(where: { $0.progress == "overtaken" }) {
            text += "Profile \(node.active) was made active meanwhile: \(overtaken).\n"
        }
        if let profile, let lacking = names("lacking", { " (which stays with \($0.active))" }) {
            text += "There is no profile \(profile) on \(lacking).\n"
        }
        return text
    }

    /// The nodes that are so far, nil for none.
    private func names(_ progress: String, _ more: (Record<API.NodeProgress>) -> String = { _ in "" }) -> String? {
        let found = self.nodes.filter { $0.progress == progress }
        return found.isEmpty ? nil : Words.names(found.map { $0.name + more($0) }, atMost: 10)
    }
}
