import Admin

extension Command {
    static let login = Command.admin(
        name: "login",
        summary: "Fetch the token of a profile anew.",
        usage: "login PROFILE [options]",
        details: [
            "Profiles with \"token\" have a token put into requests: it is fetched by the first request that needs it, and "
                + "renewed in time. This command fetches it at once, also after `shunt logout`. `shunt status` "
                + "lists the tokens with their age and end, never their text."
        ],
        examples: [("After the password has changed", "shunt login staging")]
    ) { shunt, arguments in
        let reply = try shunt().ask(API.login) { $0.profile = arguments.operands[0] }
        return CommandResult(reply, "Logged in: \(LoginText(reply).text)\n")
    }

    static let logout = Command.admin(
        name: "logout",
        summary: "Forget the token of a profile, or all tokens.",
        usage: "logout [PROFILE] [options]",
        details: ["Requests keep the client's own token until `shunt login`, or until the app logs in anew."],
        examples: [("Try the app without a token", "shunt logout staging")]
    ) { shunt, arguments in
        let reply = try shunt().ask(API.logout) { $0.profile = arguments.operands.first }
        let names = reply.profiles
        return CommandResult(reply, names.isEmpty ? "There was no token.\n" : "Logged out of \(Words.names(names)).\n")
    }
}

/// A login in one line.
struct LoginText {
    private let login: Record<API.Login>

    init(_ login: Record<API.Login>) { self.login = login }

    var text: String {
        let state: String
        if let age = login.age {
            let end = login.expiresIn.map { "ends in \(Words.span($0))" } ?? "without a known end"
            state = "\(Words.span(age)) old, \(end)"
        } else {
            state = login.loggedOut ? "logged out" : "none yet"
        }
        return "\(login.profile) (\(login.source)), \(state)" + (login.problem.map { "; \($0)" } ?? "")
    }
}
