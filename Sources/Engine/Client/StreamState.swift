/// How far one exchange has come on its stream: in writing and in reading, each with named transitions.
///
/// It holds what the channel's owner has done; ``HTTP2Stream`` holds what was exchanged with the peer.
package struct StreamState: Equatable {
    package enum Writing: Equatable {
        /// The owner may write.
        case open
        /// The owner waits until the peer takes bytes. After it: ``open``.
        case blocked
        /// All is written, and the owner waits until the peer takes the last bytes. After it: ``complete``.
        case draining
        /// All is written. After it: ``draining``, while the last bytes find no room.
        case complete
    }

    package enum Reading: Equatable {
        /// The owner reads.
        case open
        /// The owner reads no more, and still writes. After it: ``closed``.
        case stopped
        /// The owner has closed the channel: it neither reads nor writes.
        case closed
    }

    package private(set) var writing = Writing.open
    package private(set) var reading = Reading.open

    package init() {}

    package var isBlocked: Bool { writing == .blocked || writing == .draining }
    package var isComplete: Bool { writing == .complete || writing == .draining }
    package var isClosed: Bool { reading == .closed }

    /// The peer must take bytes before the owner goes on.
    package mutating func block() {
        switch writing {
        case .open: writing = .blocked
        case .complete: writing = .draining
        case .blocked, .draining: break
        }
    }

    /// The peer has taken bytes; returns whether the owner waited for that.
    package mutating func unblock() -> Bool {
        switch writing {
        case .blocked: writing = .open
        case .draining: writing = .complete
        case .open, .complete: return false
        }
        return true
    }

    /// The owner writes nothing more.
    package mutating func complete() {
        switch writing {
        case .open: writing = .complete
        case .blocked: writing = .draining
        case .complete, .draining: break
        }
    }

    /// The owner reads nothing more; returns whether it did until now.
    package mutating func stopReading() -> Bool {
        guard reading == .open else { return false }
        reading = .stopped
        return true
    }

    /// The owner is done with the channel; returns how it read until now, or nil if it was done before.
    package mutating func close() -> Reading? {
        guard reading != .closed else { return nil }
        defer { reading = .closed }
        return reading
    }
}
