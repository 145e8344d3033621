import Synchronization

/// The heads and indexes of segments, which all readers of one sealed store share: opening each costs an agreement of keys.
final class SegmentFacts: Sendable {
    private struct State {
        var heads: [Int64: SegmentFrame.Head] = [:]
        var indexes: [Int64: SegmentIndex] = [:]
    }

    private let state = Mutex(State())

    /// What is known of the segment with this first exchange, else what `read` finds.
    func head(
        _ first: Int64, _ read: () throws(StoreFailure) -> SegmentFrame.Head?
    ) throws(StoreFailure) -> SegmentFrame.Head? {
        if let head = state.withLock({ $0.heads[first] }) { return head }
        guard let head = try read() else { return nil }
        state.withLock { $0.heads[first] = head }
        return head
    }

    func index(_ first: Int64, _ read: () -> SegmentIndex?) -> SegmentIndex? {
        if let index = state.withLock({ $0.indexes[first] }) { return index }
        guard let index = read() else { return nil }
        state.withLock { $0.indexes[first] = index }
        return index
    }

    /// Forgets segments that were removed.
    func keep(_ present: Set<Int64>) {
        state.withLock { state in
            guard state.heads.count > present.count || state.indexes.count > present.count else { return }
            state.heads = state.heads.filter { present.contains($0.key) }
            state.indexes = state.indexes.filter { present.contains($0.key) }
        }
    }
}
