import Dispatch

/// Remembers what of the losses was told already.
struct Losses {
    /// Between two times that a disk is told to be too slow, in nanoseconds.
    private static let pause: UInt64 = 10_000_000_000

    private var told: UInt64 = 0
    private var last: DispatchTime?

    /// True if something is to be told now, which counts as done then.
    mutating func isToBeTold(_ statistics: StoreStatistics, now: DispatchTime, isEnding: Bool) -> Bool {
        let all = statistics.droppedExchanges &+ statistics.droppedBodies
        guard all > told else { return false }
        if !isEnding, let last, now.uptimeNanoseconds &- last.uptimeNanoseconds < Self.pause { return false }
        (told, last) = (all, now)
        return true
    }

    /// It was told in another way.
    mutating func wereTold(_ statistics: StoreStatistics) {
        told = statistics.droppedExchanges &+ statistics.droppedBodies
    }
}
