import Bytes

/// The candidate one most likely meant, or nil when none is near: at most a third of the letters differ.
func nearest(to name: String, among candidates: [String]) -> String? {
    let typed = Array(name.lowercased().unicodeScalars.prefix(64))
    let scored = candidates.map { ($0, editDistance(typed, Array($0.lowercased().unicodeScalars.prefix(64)))) }
    guard let best = scored.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, max(typed.count, best.0.unicodeScalars.count) / 3) ? best.0 : nil
}

/// `did you mean "origin"?`, when something is near.
func didYouMean(_ name: String, among candidates: [String]) -> String? {
    nearest(to: name, among: candidates).map { "did you mean \"\($0)\"?" }
}
