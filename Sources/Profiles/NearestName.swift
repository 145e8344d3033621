/// The candidate one most likely meant, or nil when none is near: at most a third of the letters differ.
func nearest(to name: String, among candidates: [String]) -> String? {
    let typed = Array(name.lowercased().unicodeScalars.prefix(64))
    let scored = candidates.map { ($0, editDistance(typed, Array($0.lowercased().unicodeScalars.prefix(64)))) }
    guard let best = scored.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, max(typed.count, best.0.unicodeScalars.count) / 3) ? best.0 : nil
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var next = [row]
        for column in 1...right.count {
            let change = left[row - 1] == right[column - 1] ? 0 : 1
            var cost = min(last[column] + 1, next[column - 1] + 1, last[column - 1] + change)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = min(cost, beforeLast[column - 2] + 1)
            }
            next.append(cost)
        }
        (beforeLast, last) = (last, next)
    }
    return last[right.count]
}

/// `did you mean "origin"?`, when something is near.
func didYouMean(_ name: String, among candidates: [String]) -> String? {
    nearest(to: name, among: candidates).map { "did you mean \"\($0)\"?" }
}
