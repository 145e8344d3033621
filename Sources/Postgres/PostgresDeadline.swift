import Platform

/// A point of time on the monotonic clock until which a call may take.
public struct PostgresDeadline: Sendable {
    /// In nanoseconds of the clock; `.max` for no end.
    private let end: UInt64

    private init(end: UInt64) { self.end = end }

    /// No end.
    public static let never = PostgresDeadline(end: .max)

    public static func after(milliseconds: Int) -> PostgresDeadline {
        let (end, isBeyond) = now.addingReportingOverflow(
            UInt64(max(0, milliseconds)).multipliedFullWidth(by: 1_000_000).low)
        return PostgresDeadline(end: isBeyond ? .max : end)
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// What is left, as poll(2) takes it: 0 when it has passed, -1 for no end.
    var pollTime: CInt {
        guard end != .max else { return -1 }
        let now = Self.now
        guard end > now else { return 0 }
        return CInt(clamping: (end - now + 999_999) / 1_000_000)
    }
}
