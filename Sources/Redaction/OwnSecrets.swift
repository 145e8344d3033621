import Synchronization

/// The secrets that one part of this process holds itself, such as the tokens of a profile.
///
/// They are replaced by their value, whatever the name beside them, in all that any part of the process writes down.
public final class OwnSecrets: Sendable {
    /// Bytes; shorter texts are words that stand in other places, too.
    public static let shortest = 8
    /// Earlier ones stay for exchanges that still run with them, and for the recorder, which comes later.
    private static let kept = 16
    private static let keptOfOthers = 64

    private struct State {
        var owned: [ObjectIdentifier: [[UInt8]]] = [:]
        /// Of owners that are gone.
        var left: [[UInt8]] = []
        var table: SecretTable?
    }

    private static let all = Mutex(State())
    private static let changes = Atomic(0)

    public init() {}

    deinit {
        let id = ObjectIdentifier(self)
        Self.all.withLock { state in
            guard let secrets = state.owned.removeValue(forKey: id) else { return }
            state.left = (state.left + secrets).suffix(Self.keptOfOthers)
        }
    }

    public func add(_ secret: String) {
        let (bytes, id) = (Array(secret.utf8), ObjectIdentifier(self))
        guard bytes.count >= Self.shortest else { return }
        Self.all.withLock { state in
            let known = state.owned[id] ?? []
            state.owned[id] = (known.filter { $0 != bytes } + [bytes]).suffix(Self.kept)
            guard !known.contains(bytes) else { return }
            let count = Self.changes.load(ordering: .relaxed) + 1
            state.table = SecretTable(Array(Set(state.owned.values.joined()).union(state.left)), number: count)
            Self.changes.store(count, ordering: .releasing)
        }
    }

    /// A number that is another one with each new secret; 0 while there is none.
    package static var number: Int { changes.load(ordering: .acquiring) }

    /// All that there are now; nil for none.
    static var table: SecretTable? { number == 0 ? nil : all.withLock { $0.table } }
}
