import Bytes
import Profiles

/// Random numbers that depend on a seed alone, not on the thread that asks for them.
struct MockChance {
    private var numbers: SplitMix64

    /// - Parameter turn: which of a mock's responses it is for, so that one seed gives one course of events.
    init(seed: UInt64, turn: UInt64) {
        numbers = SplitMix64(seed: seed &+ turn &* 0xD1B5_4A32_D192_ED03)
        _ = next()
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// A number from 0 up to 1, but not 1 itself.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func number(from least: UInt64, through greatest: UInt64) -> UInt64 {
        let width = greatest &- least &+ 1
        return width == 0 ? next() : least &+ next() % width
    }
}

extension MockOrder {
    /// Which of so many responses a turn gets.
    func index(of count: Int, turn: UInt64, _ chance: inout MockChance) -> Int {
        switch self {
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
