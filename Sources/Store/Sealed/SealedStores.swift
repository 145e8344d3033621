package import Age
import Synchronization

/// What this process can read of sealed stores: the window of one that it records into, and identities that were given.
package enum SealedStores {
    private struct State {
        var windows: [String: String] = [:]
        var identities: [String: [any AgeIdentity]] = [:]
    }

    private static let state = Mutex(State())

    /// Lets readers of this process open a store's segments.
    package static func unlock(_ path: String, _ identities: [any AgeIdentity]) {
        state.withLock { $0.identities[path] = identities }
    }

    /// Whether a path is that of a sealed store.
    package static func isSealed(_ path: String) -> Bool { SealedFolder.isSealed(path) }

    /// Whether this process records into a store, so that its window can be read.
    package static func isRecorded(_ path: String) -> Bool { window(path) != nil }

    /// About how many exchanges a sealed store has, which needs no identity.
    package static func count(_ path: String) -> Int {
        Int(clamping: SealedFolder.segments(path).first.map { max(0, SealedFolder.newest(path) - $0 + 1) } ?? 0)
    }

    /// When something was recorded last, in microseconds since 1970.
    package static func changed(_ path: String) -> Int64 {
        SealedFolder.segments(path).last.map { SealedFolder.facts(path, $0).changed } ?? 0
    }

    static func identities(_ path: String) -> [any AgeIdentity]? { state.withLock { $0.identities[path] } }

    /// The database in memory of a store that this process records into.
    static func window(_ path: String) -> String? { state.withLock { $0.windows[path] } }

    static func setWindow(_ path: String, _ window: String?) { state.withLock { $0.windows[path] = window } }
}
