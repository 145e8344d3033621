/// What surrounds the responder of a route, in the order in which a request passes it.
///
/// The order of the cases is that order: the engine goes by it, and `shunt explain` prints it.
public enum RouteWrapper: String, CaseIterable, Sendable {
    /// A response that was kept takes the place of one that does not come.
    case keep
    /// The response is late, slow, cut or replaced.
    case fault
    /// Heads and pages are changed.
    case edit
    /// Locked production is not changed: after all that changes a request.
    case `guard`
    /// Once the response is sent, its mock is counted, and the state of a scenario changes.
    case count
}

extension Route {
    /// What surrounds its responder.
    ///
    /// - Parameter isGuarded: requests may go to production by it.
    public func wrappers(isGuarded: Bool) -> [RouteWrapper] {
        RouteWrapper.allCases.filter { wrapper in
            switch wrapper {
            // What a recording has no response to has a route of its own.
            case .keep: offline != nil && !(settings.first is RecordingSettings) && !responder.addresses.isEmpty
            case .fault: !settings.faults.isEmpty || settings.network != nil
            case .edit: settings.changes != nil
            case .guard: isGuarded
            case .count: settings.name != nil || settings.then != nil
            }
        }
    }
}
