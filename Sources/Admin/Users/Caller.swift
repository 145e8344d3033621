/// Who sends a request to the admin interface, and what that person may do.
struct Caller: Sendable {
    /// The person who runs Shunt.
    static let ownerName = "owner"

    /// A user's name, `owner`, or empty for routes that are open to all.
    let name: String
    /// The public part of the user's token; nil for the owner.
    let token: String?
    let permissions: Set<Permission>
    /// The inspector's page sends it.
    let isInspector: Bool

    static func owner(isInspector: Bool = false) -> Caller {
        Caller(name: ownerName, token: nil, permissions: [.admin], isInspector: isInspector)
    }

    static func user(_ token: UserToken, isInspector: Bool = false) -> Caller {
        Caller(name: token.user, token: token.id, permissions: token.permissions, isInspector: isInspector)
    }

    static let nobody = Caller(name: "", token: nil, permissions: [], isInspector: false)

    /// A user's name; nil for the owner and nobody.
    var user: String? { token == nil ? nil : name }

    func may(_ permission: Permission) -> Bool {
        permission == .status || permissions.contains(.admin) || permissions.contains(permission)
    }

    func require(_ permission: Permission) throws(AdminRefusal) {
        guard may(permission) else {
            let words = permissions.union([permission]).names.joined(separator: ",")
            throw AdminRefusal(
                403, "\(name) may not do this: the token lacks the permission “\(permission.rawValue)”",
                advice: "The owner of this Shunt can make one that has it: `shunt token new \(name) --may \(words)`.")
        }
    }
}
