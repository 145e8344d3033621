import Admin
import JSON

extension Command {
    static let inspect = Command(
        name: "inspect",
        summary: "Open the inspector in a browser: live traffic, environments, mocks.",
        usage: "inspect [options]",
        details: [
            "The running Shunt serves the inspector on its admin interface, for this machine only. The link logs one "
                + "browser in, once and within two minutes; the browser stays logged in until it is closed, also when "
                + "Shunt is restarted. To end all logins, remove .shunt/inspector.json and restart Shunt."
        ],
        options: [
            .flag("print", "Print the link instead of opening it, for another browser."), .running, .profiles, .json,
        ],
        examples: [("A link for another browser", "shunt inspect --print")]
    ) { arguments in
        let record = try RunningShunt.find(arguments)
        let response = try AdminClient(record).inspectorLink()
        let url = response["url"]?.string ?? ""
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else if !arguments.has("print"), BrowserOpener.open(url) {
            Terminal.out("The inspector opens in your browser.\n")
        } else {
            Terminal.out(url + "\n")
        }
        return 0
    }
}
