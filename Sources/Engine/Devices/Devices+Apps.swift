// Programs of this machine that have a profile of their own.
extension Devices {
    /// Programs that can have one at a time.
    public static let appLimit = 64

    /// The profiles of programs, by their names.
    public var apps: [String: String] { table.apps }

    /// Sets the profile of a program, by one of its names; with nil it is chosen as for other clients.
    ///
    /// - Returns: the one before, or nothing where there would be too many.
    @discardableResult
    public func choose(_ profile: String?, app: String) -> (before: String?, isDone: Bool) {
        change { state in
            let before = state.apps[app]
            guard profile == nil || before != nil || state.apps.count < Self.appLimit else { return (nil, false) }
            state.apps[app] = profile
            return (before, true)
        }
    }
}
