import Engine

// How a browser logs in to the inspector.
extension AdminHandler {
    /// A link with a code for one login, for the person who asks for it.
    ///
    /// The code stands behind the #: browsers send that part nowhere.
    func makeInspectorLink(_ call: AdminCall) throws -> Record<API.InspectorLink> {
        let login = try usedInspector()
        return Record {
            $0.url = "\(call.gate.door.url)/#login=\(login.issueCode(for: Self.person(call.caller)))"
            $0.seconds = InspectorLogin.seconds
        }
    }

    /// Takes a code, which it uses up.
    func logIn(code: String, _ call: AdminCall) throws -> HandledResponse {
        let login = try usedInspector()
        try call.gate.admitAttempt(call.request)
        guard let person = login.redeem(code) else {
            call.gate.door.attempts?.count(call.request.client)
            throw AdminRefusal(
                401, "the login link was used already, or is older than \(InspectorLogin.seconds) seconds",
                advice: "Run `shunt inspect` for a new one.",
                fields: [("WWW-Authenticate", "Bearer realm=\"shunt\"")])
        }
        if case .owner = person { _ = try call.gate.owner(call.request) }
        if let caller = caller(person) { call.note.didLogIn(caller) }
        return begin(person, login, call)
    }

    func logIn(token: String, _ call: AdminCall) throws -> HandledResponse {
        let login = try usedInspector()
        let caller = try call.gate.caller(token, call.request)
        call.note.didLogIn(caller)
        return begin(Self.person(caller), login, call)
    }

    /// Sets the cookie and hands out the key.
    private func begin(_ person: InspectorLogin.Person, _ login: InspectorLogin, _ call: AdminCall) -> HandledResponse {
        let (key, cookie) = login.begin(person, call.gate.door)
        return .json(200, Record<API.LoggedIn> { $0.key = key }.bytes, fields: [("Set-Cookie", cookie)])
    }

    private static func person(_ caller: Caller) -> InspectorLogin.Person {
        caller.token.map { .user(token: $0) } ?? .owner
    }

    private func caller(_ person: InspectorLogin.Person) -> Caller? {
        switch person {
        case .owner: .owner(isInspector: true)
        case .user(let id): facts.users?.token(id: id).map { .user($0, isInspector: true) }
        }
    }

    private func usedInspector() throws -> InspectorLogin {
        guard let inspector else {
            throw AdminRefusal(409, "the inspector is switched off", advice: "Start Shunt without --no-inspector.")
        }
        return inspector
    }
}
