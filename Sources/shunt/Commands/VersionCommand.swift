import JSON

extension Command {
    static let version = Command(
        name: "version",
        summary: "Show the version.",
        usage: "version [options]",
        options: [.json]
    ) { (arguments) async throws(CommandFailure) in
        if arguments.has("json") {
            Terminal.out { $0.object { $0.member("version", Tool.version) } }
        } else {
            Terminal.out("shunt \(Tool.version)\n")
        }
        return 0
    }
}
