import Profiles
import Synchronization

/// What a mock's collection has become by requests.
///
/// Shared by all threads.
final class KeptCollection: Sendable {
    private struct State {
        /// nil as long as nothing has changed.
        var items: CollectionItems?
        /// With what it began.
        var beginning = ""
        /// Of what it did not begin with; nil without any.
        var memory: HeldMemory?
    }

    private let state = Mutex(State())
    private let held: HeldBodies

    /// - Parameter held: the memory of all collections for what they did not begin with.
    init(_ held: HeldBodies) { self.held = held }

    /// The items as they are now.
    func items(since beginning: CollectionItems, _ fingerprint: String) -> CollectionItems {
        state.withLock { Self.present(&$0, beginning, fingerprint) }
    }

    /// Changes the items in one step, unless the change throws.
    func change<Result>(
        since beginning: CollectionItems, _ fingerprint: String,
        _ body: (inout CollectionItems) throws(CollectionRefusal) -> Result
    ) throws(CollectionRefusal) -> Result {
        try state.withLock { (state) throws(CollectionRefusal) in
            var items = Self.present(&state, beginning, fingerprint)
            let result = try body(&items)
            let memory = state.memory ?? HeldMemory(held)
            state.memory = memory
            let more = items.size - beginning.size - memory.count
            guard items.size <= CollectionItems.maxBytes, items.all.count <= CollectionItems.maxItems,
                more <= 0 || memory.grow(by: more)
            else {
                throw CollectionRefusal(
                    507,
                    "the collection is full: it may have \(CollectionItems.maxItems) items and "
                        + "\(CollectionItems.maxBytes >> 20) MiB, and all collections together what they began with and "
                        + "\(Mocks.collectionMemory >> 20) MiB")
            }
            state.items = items
            return result
        }
    }

    /// It is as it began.
    func reset() { state.withLock { $0 = State() } }

    private static func present(
        _ state: inout State, _ beginning: CollectionItems, _ fingerprint: String
    ) -> CollectionItems {
        if state.beginning != fingerprint { state = State(items: nil, beginning: fingerprint) }
        return state.items ?? beginning
    }
}

/// Why a request to a collection is refused.
struct CollectionRefusal: Error {
    let status: Int
    let message: String
    /// Field lines.
    let fields: String

    init(_ status: Int, _ message: String, fields: String = "") {
        (self.status, self.message, self.fields) = (status, message, fields)
    }
}
