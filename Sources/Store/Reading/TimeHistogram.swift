/// How often each duration occurred, in steps of 1.6 %: memory depends on how far they spread, not on how many there are.
package struct TimeHistogram {
    private var counts: [Int32: Int64] = [:]
    private var total: Int64 = 0

    package init() {}

    /// How many durations there were.
    package var count: Int64 { total }

    package mutating func add(_ time: Int64) {
        counts[Self.step(max(0, time)), default: 0] += 1
        total += 1
    }

    /// Adds durations of one step.
    mutating func add(step: Int32, _ count: Int64) {
        counts[step, default: 0] += count
        total += count
    }

    /// The percentile by nearest rank, as the upper end of its step; nil if the histogram is empty.
    package func percentile(_ percent: Int64) -> Int64? {
        var seen: Int64 = 0
        for (step, count) in counts.sorted(by: { $0.key < $1.key }) {
            seen += count
            if seen * 100 >= total * percent { return Self.end(step) }
        }
        return nil
    }

    /// Numbers below 128 stand for themselves; above, each power of two has 64 steps.
    static func step(_ time: Int64) -> Int32 {
        guard time >= 128 else { return Int32(time) }
        let shift = 57 - time.leadingZeroBitCount
        return Int32(shift * 64) + Int32(time >> Int64(shift))
    }

    private static func end(_ step: Int32) -> Int64 {
        guard step >= 128 else { return Int64(step) }
        let shift = Int64(step) / 64 - 1
        let first = (Int64(step) - shift * 64) << shift
        return first + ((1 << shift) - 1)
    }
}
