import Exchanges
import Platform
import Store
import Synchronization

/// Keeps the demo's own exchanges for its report, and all later ones for the log: it stands in front of that.
final class DemoObserver: ExchangeObserver {
    private struct State {
        var kept: [Exchange] = []
        var log: LogWriter?
        var isOpen = false
    }

    private let state = Mutex(State())

    /// Puts itself in front of a log.
    func inFront(of log: LogWriter?) -> (any ExchangeObserver)? {
        state.withLock { $0.log = log }
        return self
    }

    /// The report is written: from now on everything goes to the log.
    func open() {
        state.withLock { state in
            state.isOpen = true
            state.kept = []
        }
    }

    func exchangeEnded(_ exchange: Exchange) {
        let log = state.withLock { state in
            if !state.isOpen && state.kept.count < 16 { state.kept.append(exchange) }
            return state.isOpen ? state.log : nil
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
