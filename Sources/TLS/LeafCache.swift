import Platform
import Synchronization

/// Leaves by host name, for all workers; bounded, for the names come from the network.
final class LeafCache: Sendable {
    private struct Entry {
        let identity: Identity
        /// When to make a new one: a day before the end.
        let renewal: Int
        var lastUse: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var clock = 0
    }

    private static let limit = 1000
    private let state = Mutex(State())

    func find(_ host: String) -> Identity? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: host) else { return nil }
            if state.entries.values[index].renewal <= Int(time(nil)) { return nil }
            state.clock += 1
            state.entries.values[index].lastUse = state.clock
            return state.entries.values[index].identity
        }
    }

    /// Keeps a leaf and returns it, or the one another worker was quicker to make.
    func keep(_ identity: Identity, for host: String) -> Identity {
        let now = Int(time(nil))
        let renewal = now + identity.secondsLeft - 24 * 60 * 60
        return state.withLock { state in
            if let other = state.entries[host], other.renewal > now { return other.identity }
            if state.entries.count >= Self.limit { Self.evict(&state) }
            state.clock += 1
            state.entries[host] = Entry(identity: identity, renewal: renewal, lastUse: state.clock)
            return identity
        }
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Drops the older half at once, so that a flood of names costs one sort for every 500 of them.
    private static func evict(_ state: inout State) {
        let middle = state.entries.values.map(\.lastUse).sorted()[state.entries.count / 2]
        state.entries = state.entries.filter { $0.value.lastUse >= middle }
    }
}
