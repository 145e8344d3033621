import Admin
import JSON
import Platform

extension Command {
    static let mocks = Command(
        name: "mocks",
        summary: "List the mocks of a running Shunt, switch or check them, or make them from recorded traffic.",
        usage: "mocks [off|on|only|reset|check NAME...] [from ID...|FILTER|FILE.har] [options]",
        details: [
            "Mocks and redirects have names: the \"name\" of their route, or one that is made from its path. A mock that is "
                + "off is ignored: its requests go to the next best route of the profile, including inherited routes.",
            "`only` switches all others off. `reset` starts sequences of responses again, and without names also "
                + "resets the states of the profile. The choice ends with Shunt, unless it is saved with --keep.",
            "`from` makes mocks from recorded exchanges or an archive and writes them into a profile: the newest one "
                + "for each method, host and path. Bodies become files beside the profile, in mocks/PROFILE. Secrets "
                + "stay replaced. `check` sends the requests of mocks to another profile and compares the responses: "
                + "status, media type, and the shape of JSON.",
            MocksCheck.help,
        ],
        options: [
            .value("all", "on|off", "All mocks of the profile, without names."),
            .value("device", "NAME|ADDRESS", "For this device only, one of `shunt devices`."),
            .value(
                "profile", "NAME", default: "the active one; for `from` the only one of kind local",
                "The profile whose mocks to list or switch."),
            .flag("keep", "Save which mocks are off, for the next start of Shunt."),
        ] + MocksCheck.options + [.set, .running, .store, .profiles, .json],
        operands: 0...1000,
        examples: [
            ("Use the real API for promo", "shunt mocks off promo"),
            ("Use only the real API", "shunt mocks --all off"),
            ("Does staging still respond as the mocks do?", "shunt mocks check --against staging"),
            ("The recorded cart, without its server", "shunt mocks from '~u /v1/cart' --profile local"),
        ], run: MocksCommand.run)
}

/// What `shunt mocks` does.
enum MocksCommand {
    private static let usage =
        "Usage: shunt mocks, shunt mocks off|on|only|reset NAME..., shunt mocks reset, or shunt mocks --all on|off"

    @Sendable
    static func run(_ arguments: Arguments) async throws -> CInt {
        if arguments.operands.first == "from" {
            return try MocksFrom.run(Array(arguments.operands.dropFirst()), arguments)
        }
        if arguments.operands.first == "check" {
            return try MocksCheck.run(Array(arguments.operands.dropFirst()), arguments)
        }
        if arguments.has("set") {
            throw UsageError("--set is for `shunt mocks check` alone", advice: usage)
        }
        let change = try self.change(arguments)
        let client = AdminClient(try RunningShunt.find(arguments))
        let (profile, device) = (arguments.text("profile"), arguments.text("device"))
        let response: JSONValue
        if let change {
            response = try client.changeMocks(change, profile: profile, device: device)
        } else {
            response = try client.mocks(profile: profile, device: device)
        }
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(MocksText(response).text)
        }
        return 0
    }

    private static func change(_ arguments: Arguments) throws -> MocksChange? {
        let (words, keeps) = (arguments.operands, arguments.has("keep"))
        if let all = arguments.text("all") {
            guard all == "on" || all == "off" else {
                throw UsageError("--all is “\(all)”", advice: "It is on or off: \(usage)")
            }
            guard words.isEmpty else { throw UsageError("--all and “\(words[0])” exclude each other", advice: usage) }
            return MocksChange(state: all, names: nil, keeps: keeps)
        }
        guard let verb = words.first else {
            if keeps { throw UsageError("--keep needs something to be switched", advice: usage) }
            return nil
        }
        guard ["on", "off", "only", "reset"].contains(verb) else {
            throw UsageError("unknown action “\(verb)” for mocks", advice: usage)
        }
        let names = Array(words.dropFirst())
        guard !names.isEmpty || verb == "reset" else {
            throw UsageError("`shunt mocks \(verb)` needs names", advice: usage)
        }
        return MocksChange(state: verb, names: names.isEmpty ? nil : names, keeps: keeps)
    }
}

/// The mocks as a table.
struct MocksText {
    private let response: JSONValue

    init(_ response: JSONValue) { self.response = response }

    var text: String {
        let profile = response["profile"]?.string ?? ""
        let states = (response["scenarios"]?.array ?? []).map { scenario in
            let name = scenario["name"]?.string ?? ""
            return "State\(name.isEmpty ? "" : " of \(name)"): \(scenario["state"]?.string ?? "")\n"
        }.joined()
        guard let mocks = response["mocks"]?.array, !mocks.isEmpty else {
            return "Profile \(profile) has no mocks.\n" + states
        }
        let rows = mocks.map { mock in
            let hits = mock["hits"]?.number?.int64 ?? 0
            let last = mock["lastHit"]?.number?.int64.map { StatusText.seconds(since: $0) }
            let route = mock["route"]
            return [
                mock["name"]?.string ?? "", mock["on"]?.bool == true ? "on" : "off", "\(hits)",
                last.map { $0 < 2 ? "now" : "\(StatusText.span($0)) ago" } ?? "-", route?["profile"]?.string ?? "",
                (mock["responder"]?.string ?? "") + " " + (route?["label"]?.string ?? ""),
            ]
        }
        let device = response["device"]?.string.map { "For device \($0):\n" } ?? ""
        let kept = response["kept"]?.bool == true ? "Kept for the next start.\n" : ""
        return device + TextTable([["MOCK", "STATE", "HITS", "LAST HIT", "PROFILE", "ROUTE"]] + rows).listing + states
            + kept
    }
}
