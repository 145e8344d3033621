import Admin
import Engine
import JSON
import Profiles

extension Command {
    static let network = Command(
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
            .value("device", "NAME|ADDRESS", "For one of `shunt devices`, or for any client's address."),
            .value("for", "TIME", default: "until Shunt ends", "How long, such as 5m."), .running, .profiles, .json,
        ],
        operands: 0...1,
        examples: [
            ("A phone in the underground, for five minutes", "shunt network metro --device 192.168.1.20 --for 5m"),
            ("As fast as the real network", "shunt network off"),
        ]
    ) { arguments in
        try NetworkCommand.run(arguments, arguments.operands.first)
    }

    static let offline = Command(
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
            .value("for", "TIME", default: "until Shunt ends", "How long, such as 30s."), .running, .profiles, .json,
        ],
        operands: 1...1,
        examples: [("The app in a tunnel", "shunt offline on --device 192.168.1.20 --for 30s")]
    ) { arguments in
        let word = arguments.operands[0]
        guard word == "on" || word == "off" else {
            throw UsageError("“\(word)” is neither on nor off", advice: "Usage: shunt offline on|off")
        }
        return try NetworkCommand.run(arguments, word == "on" ? NetworkConditions.noOrigins.name : "default")
    }
}

/// What `shunt network` does.
enum NetworkCommand {
    static func run(_ arguments: Arguments, _ name: String?) throws -> CInt {
        let seconds = try time(arguments, name)
        let client = AdminClient(try RunningShunt.find(arguments))
        let response: JSONValue
        if let name {
            response = try client.choose(network: name, device: arguments.text("device"), seconds: seconds)
        } else {
            response = try client.networks()
        }
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(NetworkText(response).text)
        }
        return 0
    }

    private static func time(_ arguments: Arguments, _ name: String?) throws -> Int? {
        guard let time = try arguments.duration("for") else {
            guard name != nil || !arguments.has("device") else {
                throw UsageError("--device needs a network", advice: "Usage: shunt network NAME --device DEVICE")
            }
            return nil
        }
        guard let name, name != "default" else {
            throw UsageError("--for needs a network", advice: "Usage: shunt network NAME --for TIME")
        }
        let seconds = Int(clamping: (time - 1) / 1_000_000_000 + 1)
        guard Networks.allowed.contains(seconds) else {
            throw UsageError(
                "--for “\(arguments.text("for") ?? "")” is too long",
                advice: "Give a time of at most \(Networks.allowed.upperBound / 3600)h.")
        }
        return seconds
    }
}

/// The networks as lines.
struct NetworkText {
    private let response: JSONValue

    init(_ response: JSONValue) { self.response = response }

    var text: String {
        var lines: [String] = []
        for choice in response["choices"]?.array ?? [] {
            let whose = choice["device"]?.string.map { "Device \($0)" } ?? "All clients"
            let end = choice["seconds"]?.number?.int64.map { ", until \(StatusText.clock(after: Int($0)))" } ?? ""
            lines.append("\(whose): \(Self.text(choice["network"]) ?? "off")\(end)")
        }
        if let run = Self.text(response["run"]) { lines.append("This run: \(run)") }
        for entry in response["profiles"]?.array ?? [] {
            lines.append("Profile \(entry["profile"]?.string ?? ""): \(Self.text(entry["network"]) ?? "")")
        }
        return lines.isEmpty ? "The network is the one that there is.\n" : lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ network: JSONValue?) -> String? {
        guard let network, let name = network["name"]?.string else { return nil }
        return "\(name) (\(network["summary"]?.string ?? ""))"
    }
}
