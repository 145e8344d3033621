import Engine
import JSON
import Synchronization

// The way of a browser into the inspector.
extension AdminHandler {
    /// A link with a code for one login.
    ///
    /// The code stands behind the #: browsers send that part nowhere.
    func makeInspectorLink(_ body: AdminBody) throws(AdminRefusal) -> HandledResponse {
        let login = try usedInspector()
        let port = port.withLock { $0 } ?? 0
        return .json(200) { object in
            object.member("url", "http://127.0.0.1:\(port)/#login=\(login.issueCode())")
            object.member("seconds", InspectorLogin.seconds)
        }
    }

    /// Uses a code up, sets the cookie and hands out the key.
    func logIn(_ body: AdminBody) throws(AdminRefusal) -> HandledResponse {
        let login = try usedInspector()
        let code = try body.text("code", example: "{\"code\": \"…\"}")
        guard let key = login.redeem(code) else {
            throw AdminRefusal(
                401, "the login link was used already, or is older than \(InspectorLogin.seconds) seconds",
                advice: "Run `shunt inspect` for a new one.",
                fields: [("WWW-Authenticate", "Bearer realm=\"shunt\"")])
        }
        let port = port.withLock { $0 } ?? 0
        return .json(200, fields: [("Set-Cookie", login.setCookie(port))]) { $0.member("key", key) }
    }

    private func usedInspector() throws(AdminRefusal) -> InspectorLogin {
        guard let inspector else {
            throw AdminRefusal(
                409, "the inspector is switched off", advice: "Start Shunt without --no-inspector.")
        }
        return inspector
    }
}
