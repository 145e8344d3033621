import Dispatch

/// Remembers which losses of one kind were reported already.
struct Losses {
    /// Between two reports, in nanoseconds.
    private static let pause: UInt64 = 10_000_000_000

    private var told: UInt64 = 0
    private var last: DispatchTime?

    /// True if losses are to be reported now; they then count as reported.
    ///
    /// - Parameter all: how many there are.
    mutating func isToBeTold(_ all: UInt64, now: DispatchTime, isEnding: Bool) -> Bool {
        guard all > told else { return false }
        if !isEnding, let last, now.uptimeNanoseconds &- last.uptimeNanoseconds < Self.pause { return false }
        (told, last) = (all, now)
        return true
    }

    /// The losses were reported in another way.
    mutating func wereTold(_ all: UInt64) { told = all }
}
