import Engine

/// Admits programs that know a token, and refuses web pages.
///
/// A page that the user's browser shows can send requests to loopback and into the network. It is recognised by its
/// `Origin`, by the host that it used (DNS rebinding), and it does not know a token. The inspector's own page is
/// admitted by its login.
struct AdminGate: Sendable {
    let token: AdminToken
    let users: Users?
    let door: AdminDoor
    /// nil without an inspector.
    let inspector: InspectorLogin?

    /// Throws unless the request comes from where it may, under a name of the interface, and from no other page.
    func admitPlace(of request: HandledRequest) throws(AdminRefusal) {
        if door.isRemote {
            guard request.isSecure else {
                throw AdminRefusal(
                    403, "the admin interface is reached from other machines by HTTPS only",
                    advice: "Use \(door.url). Revoke a token that went over the network in the clear.")
            }
        } else {
            guard request.clientIsLoopback else {
                throw AdminRefusal(403, "the admin interface responds to this machine only")
            }
        }
        guard door.hosts.contains(request.authority.lowercased()) else {
            throw AdminRefusal(
                403, "the admin interface is not reached as “\(request.authority)”",
                advice: "Use \(door.hosts[0])." + (door.isRemote ? " `shunt serve --admin-host` adds names." : ""))
        }
        for field in request.fields where field.name.lowercased() == "origin" {
            guard door.isOwn(origin: field.value) else {
                throw AdminRefusal(403, "pages of “\(field.value)” may not use the admin interface")
            }
        }
        guard !Self.hasToken(request.target) else {
            throw AdminRefusal(
                400, "the URL has a token, and URLs are written to logs and histories",
                advice: "Send `Authorization: Bearer TOKEN`, and revoke this token.")
        }
    }

    /// Who sends the request; throws unless it has a token, or comes from the inspector's page.
    func caller(of request: HandledRequest) throws(AdminRefusal) -> Caller {
        let isTry = request.field("Authorization") != nil || request.field(InspectorLogin.keyField) != nil
        if isTry { try admitAttempt(request) }
        if let login = inspector?.login(of: request, door) {
            switch login {
            case .owner: if mayBeOwner(request) { return .owner(isInspector: true) }
            case .user(let id): if let token = users?.token(id: id) { return .user(token, isInspector: true) }
            }
        }
        if let text = AdminToken.bearer(request.field("Authorization")) {
            if token.equals(text) { return try owner(request) }
            if let token = users?.token(text) { return .user(token) }
        }
        if isTry { door.attempts?.count(request.client) }
        throw Self.unknown(door)
    }

    /// Who a token is of that stands in the body of a login.
    func caller(_ text: String, _ request: HandledRequest) throws(AdminRefusal) -> Caller {
        try admitAttempt(request)
        if token.equals(text) { return try owner(request) }
        if let token = users?.token(text) { return .user(token) }
        door.attempts?.count(request.client)
        throw Self.unknown(door)
    }

    /// Throws when the client has shown too much that is not valid.
    func admitAttempt(_ request: HandledRequest) throws(AdminRefusal) {
        guard door.attempts?.hasRoom(for: request.client) == false else { return }
        throw AdminRefusal(
            429, "too many tokens and codes from this address were not valid", advice: "Try again in a minute.",
            fields: [("Retry-After", "60")])
    }

    private func mayBeOwner(_ request: HandledRequest) -> Bool { door.admitsOwner || request.clientIsLoopback }

    /// The owner, where that token counts.
    func owner(_ request: HandledRequest) throws(AdminRefusal) -> Caller {
        guard mayBeOwner(request) else {
            throw AdminRefusal(
                403, "the owner's token counts on the machine of this Shunt only",
                advice: "Use the token of a user: `shunt token new NAME --may admin`. "
                    + "`shunt serve --admin-owner` lets the owner's count everywhere.")
        }
        return .owner()
    }

    /// The same for a token that is not known, is over, or was revoked.
    private static func unknown(_ door: AdminDoor) -> AdminRefusal {
        AdminRefusal(
            401, "the admin interface needs its token",
            advice: "Send `Authorization: Bearer TOKEN`; "
                + (door.isRemote
                    ? "`shunt token new NAME` makes one."
                    : "the token stands in .shunt/PORT.json beside the profiles."),
            fields: [("WWW-Authenticate", "Bearer realm=\"shunt\"")])
    }

    private static func hasToken(_ target: String) -> Bool {
        if UserToken.isIn(target) { return true }
        let names = ["token", "access_token", "bearer", "authorization"]
        return target.drop { $0 != "?" }.dropFirst().split(separator: "&").contains { pair in
            names.contains(pair.prefix { $0 != "=" }.lowercased())
        }
    }

    /// Throws unless the body is said to be JSON: forms of web pages cannot have that type.
    func admitBody(of request: HandledRequest) throws(AdminRefusal) {
        let type = request.field("Content-Type").flatMap { $0.split(separator: ";").first } ?? ""
        guard type.lowercased().filter({ $0 != " " && $0 != "\t" }) == "application/json" else {
            throw AdminRefusal(
                415, "the body is of type “\(type)”", advice: "Send it with `Content-Type: application/json`.")
        }
    }
}
