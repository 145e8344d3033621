/// Guesses what somebody meant who mistyped a name.
enum Nearest {
    /// The candidate that the fewest slips of the finger lead to, or nil when none is near.
    static func match(_ name: String, in candidates: [String]) -> String? {
        let ranked = candidates.map { (name: $0, distance: distance(name.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.name.count > 2 && name.count > 2 && best.name.hasPrefix(name) { return best.name }
        return best.distance <= max(1, name.count / 3) ? best.name : nil
    }

    /// Letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
