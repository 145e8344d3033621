public import Exchanges
import Synchronization

/// The exchanges whose spans are to be sent, bounded in number and in bytes; further ones are dropped and counted.
///
/// Shared by all threads; it never waits.
public final class SpanQueue: ExchangeObserver {
    /// Why spans were not sent.
    public enum Loss: String, Sendable, CaseIterable {
        /// The collector is slower than the traffic, or away.
        case full
        /// The collector did not want them.
        case rejected
        /// They could not be sent in time.
        case unsent
    }

    /// What has become of spans.
    public struct Counts: Sendable {
        public var exported: UInt64 = 0
        public var lost: [Loss: UInt64] = [:]
        /// Exchanges that wait.
        public var waiting = 0
        /// Requests to the collector that failed, whether they were sent again or not.
        public var failures: UInt64 = 0
    }

    private struct State {
        var exchanges: [Exchange] = []
        var bytes = 0
        var counts = Counts()
        var whenMany: (@Sendable () -> Void)?
    }

    /// How many exchanges are sent at once.
    public static let batch = 512
    private static let limit = 8 * batch
    private static let byteLimit = 8 << 20
    private let state = Mutex(State())
    private let next: (any ExchangeObserver)?

    /// - Parameter next: is told of each exchange, too.
    public init(next: (any ExchangeObserver)?) { self.next = next }

    public func exchangeEnded(_ exchange: Exchange) {
        add(exchange)
        next?.exchangeEnded(exchange)
    }

    private func add(_ exchange: Exchange) {
        guard let trace = exchange.trace, trace.isSampled else { return }
        let size = exchange.url.utf8.count + (exchange.failure?.message.utf8.count ?? 0) + 1024
        let wakes = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.exchanges.count < Self.limit, state.bytes + size <= Self.byteLimit else {
                state.counts.lost[.full, default: 0] += UInt64(1 + trace.attempts.count)
                return nil
            }
            state.exchanges.append(exchange)
            state.bytes += size
            return state.exchanges.count == Self.batch ? state.whenMany : nil
        }
        wakes?()
    }

    /// Calls `body` whenever there are enough for a whole batch.
    public func whenMany(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenMany = body } }

    /// How many wait.
    public var count: Int { state.withLock { $0.exchanges.count } }

    /// The oldest exchanges.
    public func take(_ limit: Int = batch) -> [Exchange] {
        state.withLock { state in
            let taken = Array(state.exchanges.prefix(limit))
            state.exchanges.removeFirst(taken.count)
            // Counted anew, which is cheap beside the sending.
            state.bytes = state.exchanges.reduce(0) {
                $0 + $1.url.utf8.count + ($1.failure?.message.utf8.count ?? 0) + 1024
            }
            return taken
        }
    }

    public func didExport(_ spans: Int) { state.withLock { $0.counts.exported += UInt64(clamping: spans) } }

    public func didLose(_ spans: Int, _ loss: Loss) {
        guard spans > 0 else { return }
        state.withLock { $0.counts.lost[loss, default: 0] += UInt64(clamping: spans) }
    }

    public func didFail() { state.withLock { $0.counts.failures += 1 } }

    public var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.exchanges.count
            return counts
        }
    }
}
