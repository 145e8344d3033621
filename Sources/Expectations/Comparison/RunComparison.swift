import Inspection

/// Two runs side by side: endpoints that came and went, shapes and statuses that changed, and times.
package struct RunComparison {
    /// Markdown, for a comment on a pull request.
    package let markdown: String
    package let isDifferent: Bool

    /// Rows that a table has.
    private static let maxRows = 100

    package init(base: Observations, head: Observations) throws(CheckFailure) {
        let (old, new) = (try RunFigures(base), try RunFigures(head))
        let names = Set(old.groups.keys).union(new.groups.keys).sorted { $0.text < $1.text }
        var (rows, changes, slower): ([String], [String], Bool) = ([], [], false)
        for name in names {
            switch (old.groups[name], new.groups[name]) {
            case (nil, let group?): changes.append("- new: \(Self.code(name.text)), \(Self.times(group.count))")
            case (let group?, nil): changes.append("- gone: \(Self.code(name.text)), before \(Self.times(group.count))")
            case (let before?, let after?):
                changes += Self.changes(name, before, after)
                let verdict = LatencyVerdict(before.times, after.times)
                if verdict == .slower { slower = true }
                if verdict != .tooFew || before.count != after.count {
                    rows.append(Self.row(name, before, after, verdict))
                }
            case (nil, nil): break
            }
        }
        var text = "### Traffic: \(old.count) exchange\(old.count == 1 ? "" : "s") before, \(new.count) now\n\n"
        text += changes.isEmpty ? "No endpoint, status or shape has changed.\n" : changes.joined(separator: "\n") + "\n"
        if !rows.isEmpty {
            text += "\n| endpoint | count | median | p95 | |\n|---|---|---|---|---|\n"
            text += rows.prefix(Self.maxRows).joined(separator: "\n") + "\n"
            if rows.count > Self.maxRows { text += "\nand \(rows.count - Self.maxRows) more endpoints\n" }
        }
        markdown = text
        isDifferent = !changes.isEmpty || slower
    }

    private static func changes(_ name: Endpoint, _ before: RunFigures.Group, _ after: RunFigures.Group) -> [String] {
        var found: [String] = []
        let (old, new) = (Set(before.statuses.keys), Set(after.statuses.keys))
        for status in new.subtracting(old).sorted() { found.append("status \(status) is new") }
        for status in old.subtracting(new).sorted() { found.append("status \(status) is gone") }
        if before.failed == 0, after.failed > 0 { found.append("\(after.failed) failed") }
        for (what, old, new) in [
            ("request", before.request, after.request), ("response", before.response, after.response),
        ] {
            switch (old, new) {
            case (let old?, let new?):
                for difference in old.differences(from: new).prefix(10) {
                    found.append(
                        "\(what) \(code(difference.place)): \(difference.old ?? "nothing") before, "
                            + "\(difference.new ?? "nothing") now")
                }
            case (nil, .some): found.append("\(what) has JSON now")
            case (.some, nil): found.append("\(what) has no JSON any more")
            case (nil, nil): break
            }
        }
        return found.map { "- \(code(name.text)): \($0)" }
    }

    private static func row(
        _ name: Endpoint, _ before: RunFigures.Group, _ after: RunFigures.Group, _ verdict: LatencyVerdict
    ) -> String {
        func both(_ old: String, _ new: String) -> String { old == new ? old : "\(old) → \(new)" }
        func time(_ group: RunFigures.Group, _ percent: Int) -> String {
            LatencyCheck.text(LatencyVerdict.percentile(group.times, percent))
        }
        let words =
            switch verdict {
            case .tooFew: "too few to compare times"
            case .alike: "no difference beyond noise"
            case .slower: "**slower**"
            case .faster: "faster"
            }
        let counts = both("\(before.count)", "\(after.count)")
        return "| \(code(name.text)) | \(counts) | \(both(time(before, 50), time(after, 50))) | "
            + "\(both(time(before, 95), time(after, 95))) | \(words) |"
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    /// In code, bars of tables are escaped; a grave accent would end it.
    private static func code(_ text: String) -> String {
        "`" + text.map { $0 == "|" ? "\\|" : $0 == "`" ? "'" : "\($0)" }.joined() + "`"
    }
}
