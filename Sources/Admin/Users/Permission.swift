/// What a user may do in the admin interface; each ``AdminRoute`` names the one that it needs.
public enum Permission: String, CaseIterable, Sendable {
    /// To see what runs, and to choose for one's own devices; every user may.
    case status
    /// Another active profile, reading the profiles again, asking all origins.
    case use
    /// Writing to production for a while.
    case unlock
    /// Switching mocks, and holding exchanges at breakpoints.
    case mocks
    /// The conditions of networks.
    case network
    /// Devices of all users, and pairing new ones.
    case devices
    /// The recorded traffic.
    case logs
    /// Sending recorded requests again.
    case replay
    /// Removing recorded traffic.
    case clear
    /// The audit trail.
    case audit
    /// Everything, tokens of users included.
    case admin

    /// A list such as `use,logs`; nil with the first word that names none.
    public static func list(_ text: String) -> Result<Set<Permission>, UnknownPermission> {
        var found: Set<Permission> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(word.drop { $0 == " " })
            guard let permission = Permission(rawValue: name) else { return .failure(UnknownPermission(name: name)) }
            found.insert(permission)
        }
        return .success(found)
    }
}

/// A word that names no permission.
public struct UnknownPermission: Error, Sendable {
    public let name: String
    public var message: String { "there is no permission “\(name)”" }
    public var advice: String { "There are: \(Permission.allCases.map(\.rawValue).joined(separator: ", "))." }
}

extension Collection<Permission> {
    /// Their names in the usual order.
    public var names: [String] { Permission.allCases.filter { contains($0) }.map(\.rawValue) }
}
