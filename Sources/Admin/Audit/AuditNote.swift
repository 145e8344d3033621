import Synchronization

/// What the handler of a route says about its change, for the audit trail.
final class AuditNote: Sendable {
    struct Facts: Sendable {
        var target: String?
        var before: String?
        var after: String?
        /// It was written before the change.
        var isWritten = false
    }

    private let state = Mutex(Facts())

    /// Whoever has just logged in.
    var caller: Caller? { newCaller.withLock { $0 } }
    private let newCaller = Mutex<Caller?>(nil)

    func didLogIn(_ caller: Caller) { newCaller.withLock { $0 = caller } }

    var facts: Facts { state.withLock { $0 } }

    func add(target: String? = nil, before: String? = nil, after: String? = nil) {
        state.withLock { facts in
            facts.target = target ?? facts.target
            facts.before = before ?? facts.before
            facts.after = after ?? facts.after
        }
    }

    func didWrite() { state.withLock { $0.isWritten = true } }
}
