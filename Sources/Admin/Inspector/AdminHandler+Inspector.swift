import Engine
import JSON

// The way of a browser into the inspector.
extension AdminHandler {
    /// A link with a code for one login, for the person who asks for it.
    ///
    /// The code stands behind the #: browsers send that part nowhere.
    func makeInspectorLink(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        _ = try call.body()
        let login = try usedInspector()
        return .json(200) { object in
            object.member("url", "\(call.gate.door.url)/#login=\(login.issueCode(for: Self.person(call.caller)))")
            object.member("seconds", InspectorLogin.seconds)
        }
    }

    /// Takes a code, which it uses up, or a token, sets the cookie and hands out the key.
    func logIn(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let login = try usedInspector()
        let body = try call.body("code", "token")
        let person: InspectorLogin.Person
        if let token = try body.optionalText("token", example: "{\"token\": \"…\"}") {
            let caller = try call.gate.caller(token, call.request)
            call.note.didLogIn(caller)
            person = Self.person(caller)
        } else {
            try call.gate.admitAttempt(call.request)
            let code = try body.text("code", example: "{\"code\": \"…\"}")
            guard let found = login.redeem(code) else {
                call.gate.door.attempts?.count(call.request.client)
                throw AdminRefusal(
                    401, "the login link was used already, or is older than \(InspectorLogin.seconds) seconds",
                    advice: "Run `shunt inspect` for a new one.",
                    fields: [("WWW-Authenticate", "Bearer realm=\"shunt\"")])
            }
            if case .owner = found { _ = try call.gate.owner(call.request) }
            person = found
            if let caller = caller(found) { call.note.didLogIn(caller) }
        }
        let (key, cookie) = login.begin(person, call.gate.door)
        return .json(200, fields: [("Set-Cookie", cookie)]) { $0.member("key", key) }
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

    private func usedInspector() throws(AdminRefusal) -> InspectorLogin {
        guard let inspector else {
            throw AdminRefusal(
                409, "the inspector is switched off", advice: "Start Shunt without --no-inspector.")
        }
        return inspector
    }
}
