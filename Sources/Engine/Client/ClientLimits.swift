package import Reactor
import Synchronization

/// Limits of one client: how many connections it has at once, and how many requests it sends per second.
///
/// A client is the user whose device shows its token, else an address: one of IPv4, or the first 64 bits of one of
/// IPv6, since a single machine has all addresses behind them. Loopback addresses have no limit: programs of this
/// machine share them, a load balancer with all of its clients among them. Shared by all workers.
final class ClientLimits: Sendable {
    /// Who is counted.
    enum Key: Hashable {
        case address(DeviceAddress)
        case user(String)
    }

    /// The place of a new connection.
    enum Place {
        case free
        /// It is one too many: its requests get 429.
        case over
        /// It is one too many for that, too, and is closed.
        case refused
    }

    let connections: Int?
    let rate: Int?
    private let counts = Mutex<[DeviceAddress: Int]>([:])
    private let meter: Mutex<RateMeter<Key>>

    /// nil where nothing is limited.
    init?(_ limits: Limits) {
        guard limits.clientConnections != nil || limits.clientRate != nil else { return nil }
        connections = limits.clientConnections
        rate = limits.clientRate
        meter = Mutex(RateMeter(perSecond: limits.clientRate ?? 1))
    }

    /// Counts a connection that begins; ``leave(_:)`` has to follow unless it is refused.
    func enter(_ peer: SocketAddress?) -> Place {
        guard let connections, let key = Self.key(peer) else { return .free }
        return counts.withLock { counts in
            let count = counts[key, default: 0]
            // Those that are one too many hear why, within bounds.
            guard count < 2 * connections else { return .refused }
            counts[key] = count + 1
            return count < connections ? .free : .over
        }
    }

    func leave(_ peer: SocketAddress?) {
        guard connections != nil, let key = Self.key(peer) else { return }
        counts.withLock { counts in
            let count = counts[key, default: 0] - 1
            counts[key] = count > 0 ? count : nil
        }
    }

    /// Whether a client still has more connections than it may have.
    func isOver(_ peer: SocketAddress?) -> Bool {
        guard let connections, let key = Self.key(peer) else { return false }
        return counts.withLock { $0[key, default: 0] > connections }
    }

    /// Counts a request; false for one too many.
    func admits(_ peer: SocketAddress?, user: String?, now: Instant) -> Bool {
        guard rate != nil, let key = user.map(Key.user) ?? Self.key(peer).map(Key.address) else { return true }
        return meter.withLock { $0.admits(key, now: now) }
    }

    private static func key(_ peer: SocketAddress?) -> DeviceAddress? {
        guard let peer, !peer.isLoopback else { return nil }
        return DeviceAddress(peer).network
    }
}

/// Who may do something how often: a bucket of tokens for each key, as large as one second fills it.
///
/// Of each bucket only the time is kept at which it is full again (generic cell rate algorithm).
package struct RateMeter<Key: Hashable> {
    /// Keys that are remembered; where there are more at once, those with the fullest buckets begin anew.
    private let capacity: Int
    /// Nanoseconds until a bucket has one token more.
    private let interval: UInt64
    private let size: UInt64
    private var full: [Key: Instant] = [:]
    private var lastSweep: Instant = 0

    package init(perSecond rate: Int, capacity: Int = 65_536) {
        self.init(interval: Limits.second / UInt64(max(1, rate)), size: UInt64(max(1, rate)), capacity: capacity)
    }

    /// - Parameters:
    ///   - interval: nanoseconds per token.
    ///   - size: tokens of a full bucket.
    package init(interval: UInt64, size: UInt64, capacity: Int) {
        self.interval = max(1, interval)
        self.size = size
        self.capacity = capacity
    }

    package var count: Int { full.count }

    /// Takes a token; false if there is none.
    package mutating func admits(_ key: Key, now: Instant) -> Bool {
        guard hasToken(key, now: now) else { return false }
        if full.count >= capacity, full[key] == nil { makeRoom(now) }
        full[key] = max(full[key] ?? now, now).after(interval)
        return true
    }

    /// Whether there is a token.
    package func hasToken(_ key: Key, now: Instant) -> Bool {
        guard let time = full[key], time > now else { return true }
        return time - now <= (size - 1) * interval
    }

    /// Forgets full buckets, which are as those that are not known.
    ///
    /// A sweep looks at all of them, so that it comes once a second at most.
    private mutating func makeRoom(_ now: Instant) {
        if now >= lastSweep.after(Limits.second) {
            lastSweep = now
            full = full.filter { $0.value > now }
        }
        guard full.count >= capacity else { return }
        // Half of them, so that the next look at all comes late. One that has used up its tokens stays.
        let middle = full.values.sorted()[full.count / 2]
        full = full.filter { $0.value > middle }
    }
}
