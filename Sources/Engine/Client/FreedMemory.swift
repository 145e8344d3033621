import Reactor

/// When the memory of connections that have ended is given back to the system: after many of them, once no more end.
package struct FreedMemory {
    /// Connections that have ended since the last time.
    private var ended = 0
    private var lastEnd: UInt64 = 0
    private static let many = 256
    /// Nanoseconds without an end.
    private static let quiet = 2 * Limits.second

    package init() {}

    /// Counts a connection that has ended, and says whether memory has to be given back later.
    package mutating func connectionEnded(at now: UInt64) -> Bool {
        ended += 1
        lastEnd = now
        return ended >= Self.many
    }

    /// Whether it is time, which begins anew then, and when to look again.
    package mutating func look(at now: UInt64) -> (isDue: Bool, next: UInt64) {
        guard ended >= Self.many else { return (false, .never) }
        guard lastEnd.after(Self.quiet) <= now else { return (false, lastEnd.after(Self.quiet)) }
        ended = 0
        return (true, .never)
    }
}
