// Users, who each have a profile for all of their devices.
extension Devices {
    /// The profiles of users, by their names.
    public var choices: [String: String] { table.choices }

    /// Sets the profile of a user's devices that have none of their own; with nil they follow the active one.
    ///
    /// - Returns: the one before.
    @discardableResult
    public func choose(_ profile: String?, for user: String) -> String? {
        change { state in
            defer { state.choices[user] = profile }
            return state.choices[user]
        }
    }

    /// Forgets devices, choices and codes of users that are none any more, and returns the names of the devices.
    public func keepUsers(_ users: Set<String>) -> [String] {
        keepCodes(of: users)
        return forgetUsers { !users.contains($0) }
    }

    /// Forgets devices and choices of users that are meant, and returns the names of the devices.
    @discardableResult
    package func forgetUsers(where isMeant: (String) -> Bool) -> [String] {
        func isGone(_ user: String?) -> Bool { user.map(isMeant) ?? false }
        let table = table
        guard table.entries.contains(where: { isGone($0.device.user) }) || table.choices.keys.contains(where: isGone)
        else { return [] }
        return change { state in
            let gone = state.entries.filter { isGone($0.device.user) }.map(\.device.name)
            state.entries.removeAll { isGone($0.device.user) }
            state.choices = state.choices.filter { !isGone($0.key) }
            return gone
        }
    }
}
