import Bytes

/// Numbers by chance that follow from a seed alone, whichever thread asks.
struct MockChance {
    private var numbers: SplitMix64

    /// - Parameter turn: which of a mock's responses it is for, so that one seed gives one course of events.
    init(seed: UInt64, turn: UInt64) {
        numbers = SplitMix64(seed: seed &+ turn &* 0xD1B5_4A32_D192_ED03)
        _ = next()
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// From 0 up to 1, which is not reached.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func number(from least: UInt64, through greatest: UInt64) -> UInt64 {
        let width = greatest &- least &+ 1
        return width == 0 ? next() : least &+ next() % width
    }
}
