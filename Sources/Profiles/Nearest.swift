/// The candidate that a misspelt word most likely meant; nil when none is near.
func nearest(to word: String, among candidates: [String]) -> String? {
    let limit = max(1, min(3, word.count / 2))
    return
        candidates
        .map { (name: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        .filter { $0.distance <= limit }
        .min { $0.distance < $1.distance }?.name
}

/// How many characters must be added, left out, changed or swapped with their neighbour.
private func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first.unicodeScalars.prefix(64))
    let b = Array(second.unicodeScalars.prefix(64))
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
        var row = [i] + [Int](repeating: 0, count: b.count)
        for j in 1...b.count {
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
        }
        beforeLast = last
        last = row
    }
    return last[b.count]
}
