/// Numbers by chance that follow from a seed alone, whichever thread asks: SplitMix64.
struct MockChance {
    private var state: UInt64

    /// - Parameter turn: which of a mock's responses it is for, so that one seed gives one course of events.
    init(seed: UInt64, turn: UInt64) {
        state = seed &+ turn &* 0xD1B5_4A32_D192_ED03
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1, which is not reached.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func number(from least: UInt64, through greatest: UInt64) -> UInt64 {
        let width = greatest &- least &+ 1
        return width == 0 ? next() : least &+ next() % width
    }
}
