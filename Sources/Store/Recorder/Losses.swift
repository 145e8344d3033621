import Dispatch

/// Remembers which losses were reported already.
struct Losses {
    /// Between two reports of a slow disk, in nanoseconds.
    private static let pause: UInt64 = 10_000_000_000

    private var told: UInt64 = 0
    private var last: DispatchTime?

    /// True if losses are to be reported now; they then count as reported.
    mutating func isToBeTold(_ statistics: StoreStatistics, now: DispatchTime, isEnding: Bool) -> Bool {
        let all = statistics.droppedExchanges &+ statistics.droppedBodies
        guard all > told else { return false }
        if !isEnding, let last, now.uptimeNanoseconds &- last.uptimeNanoseconds < Self.pause { return false }
        (told, last) = (all, now)
        return true
    }

    /// The losses were reported in another way.
    mutating func wereTold(_ statistics: StoreStatistics) {
        told = statistics.droppedExchanges &+ statistics.droppedBodies
    }
}
