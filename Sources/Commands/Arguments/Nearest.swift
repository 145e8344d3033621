import Bytes

/// Guesses the intended name behind a mistyped one.
enum Nearest {
    /// What was meant, and what there is.
    static func advice(_ name: String, in candidates: [String]) -> String {
        (match(name, in: candidates).map { "Did you mean “\($0)”? " } ?? "")
            + "There are: \(candidates.joined(separator: ", "))."
    }

    /// The candidate that the fewest slips of the finger lead to, or nil when none is near.
    static func match(_ name: String, in candidates: [String]) -> String? {
        let typed = Array(name.lowercased().utf8)
        let ranked = candidates.map { (name: $0, distance: editDistance(typed, Array($0.lowercased().utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.name.count > 2 && name.count > 2 && best.name.hasPrefix(name) { return best.name }
        return best.distance <= max(1, name.count / 3) ? best.name : nil
    }
}
