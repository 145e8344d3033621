import Admin

extension Command {
    static let mocks = Command(
        name: "mocks",
        summary: "List the mocks of a running Shunt, switch or check them, or make them from recorded traffic.",
        usage: "mocks [off|on|only|reset|check NAME...] [from ID...|FILTER|FILE] [options]",
        details: [
            "Mocks and redirects have names: the \"name\" of their route, or one that is made from its path. A mock that is "
                + "off is ignored: its requests go to the next best route of the profile, including inherited routes.",
            "`only` switches all others off. `reset` starts sequences of responses again, and without names also "
                + "resets the states of the profile. The choice ends with Shunt, unless it is saved with --keep.",
            "`from` makes mocks from recorded exchanges or an archive and writes them into a profile: the newest one "
                + "for each method, host and path. Bodies become files beside the profile, in mocks/PROFILE. Secrets "
                + "stay replaced. Of a document of OpenAPI (.yaml, .json) it makes a mock for each operation, of its "
                + "examples or its schemas.",
            MocksCheck.help,
        ],
        options: [
            .choice("all", ["on", "off"], "All mocks of the profile.").replacing(operand: "names"),
            .value("device", "NAME|ADDRESS", "For this device only, one of `shunt devices`."),
            .value(
                "profile", "NAME", default: "the active one; for `from` the only one of kind local",
                "The profile whose mocks to list or switch."),
            .value("seed", "N", default: "1", "For a document of OpenAPI: numbers and texts follow from it.")
                .of("from"),
            .flag("keep", "Save which mocks are off, for the next start of Shunt."),
        ] + MocksCheck.options + [.set.of("check"), .running, .store, .profiles, .json],
        actions: [
            Action("on", 1...999), Action("off", 1...999), Action("only", 1...999), Action("reset", 0...999),
            Action("from", 0...999), Action("check", 0...999),
        ],
        examples: [
            ("Use the real API for promo", "shunt mocks off promo"),
            ("Use only the real API", "shunt mocks --all off"),
            ("Does staging still respond as the mocks do?", "shunt mocks check --against staging"),
            ("The recorded cart, without its server", "shunt mocks from '~u /v1/cart' --profile local"),
            ("An API that is not there yet", "shunt mocks from api.yaml --profile local"),
        ], canBeRemote: true, run: MocksCommand.run)
}

/// What `shunt mocks` does.
enum MocksCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        if arguments.operands.first == "from" {
            return try MocksFrom.run(Array(arguments.operands.dropFirst()), arguments)
        }
        if arguments.operands.first == "check" {
            return try MocksCheck.run(Array(arguments.operands.dropFirst()), arguments)
        }
        let change = try self.change(arguments)
        let shunt = AdminClient(try RunningShunt.find(arguments))
        let (profile, device) = (arguments.text("profile"), arguments.text("device"))
        let reply =
            if let (state, names) = change {
                try shunt.ask(API.switchMocks) {
                    $0.state = state
                    if let names { $0.names = names } else { $0.all = true }
                    ($0.profile, $0.device, $0.keep) = (profile, device, arguments.has("keep"))
                }
            } else {
                try shunt.ask(API.mocks) { ($0.profile, $0.device) = (profile, device) }
            }
        return CommandResult(reply, text(reply)).show(arguments)
    }

    /// What to do with which mocks, with all of them without names; nil for nothing.
    private static func change(_ arguments: Arguments) throws -> (state: String, names: [String]?)? {
        if let all = arguments.text("all") { return (all, nil) }
        guard let verb = arguments.operands.first else {
            guard arguments.has("keep") else { return nil }
            throw UsageError("--keep needs something to be switched", advice: "Usage: shunt mocks off NAME --keep")
        }
        let names = Array(arguments.operands.dropFirst())
        return (verb, names.isEmpty ? nil : names)
    }

    private static func text(_ reply: Record<API.Mocks>) -> String {
        let states = reply.scenarios.map {
            "State\($0.name.isEmpty ? "" : " of \($0.name)"): \($0.state)\n"
        }.joined()
        guard !reply.mocks.isEmpty else { return "Profile \(reply.profile) has no mocks.\n" + states }
        let rows = reply.mocks.map { mock in
            [
                mock.name, mock.isOn ? "on" : "off", "\(mock.hits)", mock.lastHit.map { Words.ago($0) } ?? "-",
                mock.route.profile, mock.responder + " " + mock.route.label,
            ]
        }
        return (reply.device.map { "For device \($0):\n" } ?? "")
            + TextTable([["MOCK", "STATE", "HITS", "LAST HIT", "PROFILE", "ROUTE"]] + rows).listing + states
            + (reply.isKept ? "Kept for the next start.\n" : "")
    }
}
