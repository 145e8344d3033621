import HTTP
import Profiles

final class Locks: Sendable { func isUnlocked(_ p: String) -> Bool { false } }
extension WorkerState {
    var locks: Locks { Locks() }
    var pages: (any Handler)? { nil }
}
extension ClientConnection {
    var asksForPage: Bool { false }
    func handle(with: any Handler, _ c: Choice) async {}
}
