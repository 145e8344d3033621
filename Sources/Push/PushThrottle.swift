import Synchronization

/// How many notifications a device may be sent: the rest gets 429 TooManyRequests.
///
/// Shared by all threads.
public final class PushThrottle: Sendable {
    /// Devices whose counts are kept.
    private static let maxDevices = 100_000

    public let requests: Int
    public let seconds: Int64
    private let counts = Mutex<[String: (since: Int64, count: Int)]>([:])

    public init(requests: Int, seconds: Int64) { (self.requests, self.seconds) = (requests, seconds) }

    /// Counts a notification; false if it is one too many.
    /// - Parameter now: seconds since 1970.
    public func allows(_ token: String, now: Int64) -> Bool {
        counts.withLock { counts in
            var entry = counts[token] ?? (now, 0)
            if now - entry.since >= seconds || now < entry.since { entry = (now, 0) }
            entry.count += 1
            // Counts begin anew: to look for those that are over would take long for every device more.
            if counts.count >= Self.maxDevices { counts.removeAll(keepingCapacity: true) }
            counts[token] = entry
            return entry.count <= requests
        }
    }
}
