import Profiles

/// Chooses which of several responses a request gets.
struct MockSequence: Sendable {
    let count: Int
    let order: MockOrder

    /// The index of the response of a turn.
    func index(turn: UInt64, _ chance: inout MockChance) -> Int {
        switch order {
        case .once: return Int(min(turn, UInt64(count - 1)))
        case .loop: return Int(turn % UInt64(count))
        case .weighted(let weights):
            var rest = chance.fraction() * weights.reduce(0, +)
            for (index, weight) in weights.enumerated() {
                if rest < weight { return index }
                rest -= weight
            }
            return count - 1
        }
    }
}
