package import Age
import Synchronization

/// What this process can read of sealed stores: the window of one that it records into, and identities that were given.
package enum SealedStores {
    /// A store whose segments can be opened.
    struct Opened: Sendable {
        let identities: [any AgeIdentity]
        let facts = SegmentFacts()
        /// nil for as long as the process runs.
        let until: ContinuousClock.Instant?

        var isOver: Bool { until.map { $0 <= .now } ?? false }
    }

    private struct State {
        var windows: [String: String] = [:]
        var opened: [String: Opened] = [:]
    }

    private static let state = Mutex(State())

    /// Lets readers of this process open a store's segments.
    package static func unlock(_ path: String, _ identities: [any AgeIdentity]) {
        state.withLock { $0.opened[path] = Opened(identities: identities, until: nil) }
    }

    /// Lets them do so for a while; ``lock(_:ifOver:)`` is to be called when it is over.
    ///
    /// - Parameter texts: of files of identities.
    /// - Throws: where one cannot be read, or none opens a segment; what was unlocked before stays so.
    package static func unlock(_ path: String, texts: [String], until: ContinuousClock.Instant) throws(StoreFailure) {
        var identities: [any AgeIdentity] = []
        for text in texts {
            switch IdentityText.identities(text) {
            case .success(let found): identities += found
            case .failure(let failure):
                throw StoreFailure(
                    .sealed, path: path, "line \(failure.line) of an identity: \(failure.failure.message)")
            }
        }
        let opened = Opened(identities: identities, until: until)
        _ = try SealedTraffic(path, opened)
        state.withLock { $0.opened[path] = opened }
    }

    /// Forgets the identities, which overwrites them as soon as no reader has them any more.
    ///
    /// - Parameter ifOver: only if their time is over.
    /// - Returns: whether there were some.
    @discardableResult
    package static func lock(_ path: String, ifOver: Bool = false) -> Bool {
        state.withLock { state in
            guard let opened = state.opened[path], !ifOver || opened.isOver else { return false }
            state.opened[path] = nil
            return true
        }
    }

    /// The seconds that a store can be read for, rounded up; nil where it cannot, or has no limit.
    package static func secondsLeft(_ path: String) -> Int? {
        guard let until = opened(path)?.until else { return nil }
        let left = ContinuousClock.now.duration(to: until).components
        return Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0)
    }

    /// Whether a path is that of a sealed store.
    package static func isSealed(_ path: String) -> Bool { SealedFolder.isSealed(path) }

    /// Whether this process records into a store, so that its window can be read.
    package static func isRecorded(_ path: String) -> Bool { window(path) != nil }

    /// About how many exchanges a sealed store has, which needs no identity.
    package static func count(_ path: String) -> Int {
        Int(
            clamping: SealedFolder.segments(path).first.map {
                max(0, SealedFolder.newest(path).exchange - $0.first + 1)
            } ?? 0)
    }

    /// When something was recorded last, in microseconds since 1970.
    package static func changed(_ path: String) -> Int64 {
        SealedFolder.segments(path).last.map { SealedFolder.facts(path, $0).changed } ?? 0
    }

    static func opened(_ path: String) -> Opened? {
        state.withLock { $0.opened[path].flatMap { $0.isOver ? nil : $0 } }
    }

    /// The database in memory of a store that this process records into.
    static func window(_ path: String) -> String? { state.withLock { $0.windows[path] } }

    static func setWindow(_ path: String, _ window: String?) { state.withLock { $0.windows[path] = window } }
}
