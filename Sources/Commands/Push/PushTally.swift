import Platform

/// How many notifications had which response.
struct PushTally {
    /// Of those that were refused.
    private(set) var counts: [String: Int] = [:]
    private(set) var accepted = 0
    /// Without those that were repeated.
    private(set) var responses = 0
    /// Sent again after 429 or 503.
    var repeated = 0
    /// Acknowledged in an earlier run.
    var known = 0

    mutating func accept() {
        accepted += 1
        responses += 1
    }

    mutating func refuse(_ why: String) {
        counts[why, default: 0] += 1
        responses += 1
    }
}

/// The monotonic clock, in nanoseconds.
enum PushClock {
    static let second: UInt64 = 1_000_000_000

    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * second + UInt64(time.tv_nsec)
    }
}
