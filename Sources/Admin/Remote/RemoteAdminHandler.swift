import Engine
import Synchronization

/// Responds to requests that came through the listener for other machines.
///
/// It refuses all requests until ``open(_:)`` told it the names of the listener.
final class RemoteAdminHandler: Handler {
    private let handler: AdminHandler
    private let door = Mutex<AdminDoor?>(nil)

    init(_ handler: AdminHandler) { self.handler = handler }

    func open(_ door: AdminDoor) { self.door.withLock { $0 = door } }

    func response(_ request: HandledRequest) async -> HandledResponse {
        guard let door = door.withLock({ $0 }) else {
            return .refusal(AdminRefusal(503, "the admin interface is starting"))
        }
        return await handler.response(request, through: door)
    }
}
