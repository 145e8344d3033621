import Platform

/// A point in time of the monotonic clock, or of what a loop has in its place, in nanoseconds.
public typealias Instant = UInt64

extension Instant {
    /// Never comes: a deadline that is not set.
    public static let never = UInt64.max

    /// The monotonic clock's time now; a vDSO call, no system call.
    public static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// This instant moved on, at most to ``never``.
    public func after(_ nanoseconds: UInt64) -> Instant {
        let (sum, overflow) = addingReportingOverflow(nanoseconds)
        return overflow ? .never : sum
    }
}
