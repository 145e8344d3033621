/// Counts durations by upper bounds, as Prometheus reads them.
struct Histogram {
    /// In microseconds; what takes longer is counted behind the last.
    static let bounds: [UInt64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000,
    ]

    /// Each bound's own, and those that take longer.
    private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// Microseconds.
    private(set) var sum: UInt64 = 0

    var count: UInt64 { counts.reduce(0, +) }

    mutating func add(_ microseconds: UInt64) {
        counts[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] += 1
        sum &+= microseconds
    }

    /// How many took at most so long, for each bound in microseconds.
    var cumulative: [(bound: UInt64, count: UInt64)] {
        var total: UInt64 = 0
        return zip(Self.bounds, counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}
