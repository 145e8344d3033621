import Exchanges
import Platform
import Store
import Synchronization

/// Keeps the demo's own exchanges for its report, and passes all on to the log.
final class DemoObserver: ExchangeObserver {
    private struct State {
        var kept: [Exchange] = []
        var log: LogWriter?
    }

    private let state = Mutex(State())

    /// Puts itself in front of a log.
    func inFront(of log: LogWriter?) -> (any ExchangeObserver)? {
        state.withLock { $0.log = log }
        return self
    }

    func exchangeEnded(_ exchange: Exchange) {
        let log = state.withLock { state in
            if state.kept.count < 16 { state.kept.append(exchange) }
            return state.log
        }
        log?.exchangeEnded(exchange)
    }

    /// The exchange under a profile; it is written down a moment after its response has been read.
    func exchange(of profile: String) -> Exchange? {
        for _ in 0..<200 {
            if let found = state.withLock({ $0.kept.first { $0.profile == profile } }) { return found }
            usleep(5000)
        }
        return nil
    }
}
