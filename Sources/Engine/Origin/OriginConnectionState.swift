package import Reactor

/// Who has a connection to an origin: an exchange, its pool, or nothing any more.
package enum OriginConnectionState: Equatable {
    /// An exchange uses it. After it: ``resting(until:)``, ``closed``.
    case leased
    /// It waits in its pool. After it: ``asleep(until:)``, ``leased``, ``closed``.
    case resting(until: Instant)
    /// It waits in its pool, and has given the memory of its TLS session back. After it: ``leased``, ``closed``.
    case asleep(until: Instant)
    /// After it: ``leased``, where the object serves for a new stream.
    case closed

    /// When its pool must close it; nil where it is not in its pool.
    package var expiry: Instant? {
        switch self {
        case .resting(let until), .asleep(let until): until
        case .leased, .closed: nil
        }
    }

    package var isAsleep: Bool { if case .asleep = self { true } else { false } }

    /// An exchange takes it.
    package mutating func lease() {
        assert(self != .leased, "two exchanges must not use one connection")
        self = .leased
    }

    /// Its exchange gives it to the pool.
    package mutating func rest(until expiry: Instant) {
        assert(self == .leased, "only a connection in use can be given back")
        self = .resting(until: expiry)
    }

    /// It gives memory back; returns false where it has done so, or is not in its pool.
    package mutating func sleep() -> Bool {
        guard case .resting(let expiry) = self else { return false }
        self = .asleep(until: expiry)
        return true
    }

    package mutating func close() { self = .closed }
}
