import Admin
import Engine
import Profiles

extension Command {
    static let network = Command.admin(
        name: "network",
        summary: "Show or choose a simulated network for clients: slow, lossy, or absent.",
        usage: "network [NAME|off|default] [options]",
        details: [
            "Names: \(UnknownNetwork.names.joined(separator: ", ")); docs/networks.md has their figures. A choice applies "
                + "to open connections, too. `off` chooses the real network, whatever profiles and `serve --network` "
                + "say; `default` removes the choice.",
            "A choice for a device comes before one for all.",
        ],
        options: [
            .value("device", "NAME|ADDRESS", "For one of `shunt devices`, or for any client's address.")
                .needing(operand: "NAME"),
            .value("for", "TIME", default: "until Shunt ends", "How long, such as 5m.").needing(operand: "NAME"),
        ],
        examples: [
            ("A phone in the underground, for five minutes", "shunt network metro --device 192.168.1.20 --for 5m"),
            ("As fast as the real network", "shunt network off"),
        ]
    ) { try NetworkCommand.ask($0, $1, $1.operands.first) }

    static let offline = Command.admin(
        name: "offline",
        summary: "Cut all clients or one device off from origins, or end that.",
        usage: "offline on|off [options]",
        details: [
            "Requests to origins fail at once, as if none could be reached; mocks, files and recordings still respond, and "
                + "what routes with \"offline\": \"serve-last\" have kept. The machine's own network is not "
                + "affected. `off` removes the choice, as `shunt network default` does.",
            "This is `shunt network no-origins`; `shunt network offline` resets the connections to Shunt, too.",
        ],
        options: [
            .value("device", "NAME|ADDRESS", "For one of `shunt devices`, or for any client's address."),
            .value("for", "TIME", default: "until Shunt ends", "How long, such as 30s.").of("on"),
        ],
        actions: [Action("on"), Action("off")],
        examples: [("The app in a tunnel", "shunt offline on --device 192.168.1.20 --for 30s")]
    ) { shunt, arguments in
        let word = arguments.operands[0]
        return try NetworkCommand.ask(shunt, arguments, word == "on" ? NetworkConditions.noOrigins.name : "default")
    }
}

/// What `shunt network` does.
enum NetworkCommand {
    static func ask(_ shunt: () throws -> AdminClient, _ arguments: Arguments, _ name: String?) throws -> CommandResult
    {
        let seconds = try time(arguments, name)
        let networks =
            if let name {
                try shunt().ask(API.chooseNetwork) {
                    $0.network = name
                    $0.device = arguments.text("device")
                    $0.seconds = seconds
                }
            } else {
                try shunt().ask(API.networks)
            }
        return CommandResult(networks, text(networks))
    }

    private static func time(_ arguments: Arguments, _ name: String?) throws -> Int? {
        guard name == "default", arguments.has("for") else {
            return try arguments.seconds("for", atMost: Networks.allowed.upperBound)
        }
        throw UsageError("--for needs a network", advice: "Usage: shunt network NAME --for TIME")
    }

    private static func text(_ networks: Record<API.Networks>) -> String {
        var lines = networks.choices.map { choice in
            let whose = choice.device.map { "Device \($0)" } ?? "All clients"
            let end = choice.seconds.map { ", until \(Words.clock(after: $0))" } ?? ""
            return "\(whose): \(choice.network.map(text) ?? "off")\(end)"
        }
        if let run = networks.run { lines.append("This run: \(text(run))") }
        lines += networks.profiles.map { "Profile \($0.profile): \(text($0.network))" }
        return lines.isEmpty ? "The network is the one that there is.\n" : lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ network: Record<API.Network>) -> String { "\(network.name) (\(network.summary))" }
}
