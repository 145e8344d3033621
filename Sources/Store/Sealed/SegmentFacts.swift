import Synchronization

/// The heads and indexes of segments, which all readers of one sealed store share: opening each costs an agreement of keys.
final class SegmentFacts: Sendable {
    private struct State {
        var heads: [SegmentName: SegmentFrame.Head] = [:]
        var indexes: [SegmentName: SegmentIndex] = [:]
    }

    private let state = Mutex(State())

    /// What is known of the segment, else what `read` finds.
    func head(
        _ name: SegmentName, _ read: () throws(StoreFailure) -> SegmentFrame.Head?
    ) throws(StoreFailure) -> SegmentFrame.Head? {
        if let head = state.withLock({ $0.heads[name] }) { return head }
        guard let head = try read() else { return nil }
        state.withLock { $0.heads[name] = head }
        return head
    }

    func index(_ name: SegmentName, _ read: () -> SegmentIndex?) -> SegmentIndex? {
        if let index = state.withLock({ $0.indexes[name] }) { return index }
        guard let index = read() else { return nil }
        state.withLock { $0.indexes[name] = index }
        return index
    }

    /// Forgets segments that were removed.
    func keep(_ present: Set<SegmentName>) {
        state.withLock { state in
            guard state.heads.count > present.count || state.indexes.count > present.count else { return }
            state.heads = state.heads.filter { present.contains($0.key) }
            state.indexes = state.indexes.filter { present.contains($0.key) }
        }
    }
}
