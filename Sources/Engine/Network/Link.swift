import Profiles
import Reactor
import Synchronization

/// The link of one client, which all its connections share, whichever workers serve them.
final class Link: Sendable {
    let conditions: NetworkConditions
    private let model: Mutex<LinkModel>

    init(_ conditions: NetworkConditions, begins: Instant) {
        self.conditions = conditions
        model = Mutex(LinkModel(conditions, begins: begins))
    }

    func with<R>(_ body: (inout LinkModel) -> R) -> R { model.withLock { body(&$0) } }
}
