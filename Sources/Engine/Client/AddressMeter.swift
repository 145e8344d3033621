public import Reactor
import Synchronization

/// How often clients may do something, by their addresses; those of IPv6 by their first 64 bits.
public final class AddressMeter: Sendable {
    private let meter: Mutex<RateMeter<DeviceAddress>>

    /// - Parameters:
    ///   - count: how often in a row.
    ///   - interval: nanoseconds until it may be done once more.
    public init(_ count: UInt64, every interval: UInt64) {
        meter = Mutex(RateMeter(interval: interval, size: count, capacity: 4096))
    }

    /// Whether a client may do it once more.
    public func hasRoom(for client: SocketAddress?, now: Instant = .now()) -> Bool {
        guard let client else { return true }
        return meter.withLock { $0.hasToken(DeviceAddress(client).network, now: now) }
    }

    /// The client has done it.
    public func count(_ client: SocketAddress?, now: Instant = .now()) {
        guard let client else { return }
        meter.withLock { _ = $0.admits(DeviceAddress(client).network, now: now) }
    }
}
