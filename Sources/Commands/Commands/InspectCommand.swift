import Admin

extension Command {
    static let inspect = Command.admin(
        name: "inspect",
        summary: "Open the inspector in a browser: live traffic, environments, mocks.",
        usage: "inspect [options]",
        details: [
            "The running Shunt serves the inspector on its admin interface, for this machine only. The link logs one "
                + "browser in, once and within two minutes; the browser stays logged in until it is closed, also when "
                + "Shunt is restarted. To end all logins, remove .shunt/inspector.json and restart Shunt."
        ],
        options: [.flag("print", "Print the link instead of opening it, for another browser.")],
        examples: [("A link for another browser", "shunt inspect --print")]
    ) { shunt, arguments in
        let reply = try shunt().ask(API.inspectorLink)
        let isOpen = !arguments.has("json") && !arguments.has("print") && BrowserOpener.open(reply.url)
        return CommandResult(reply, isOpen ? "The inspector opens in your browser.\n" : reply.url + "\n")
    }
}
