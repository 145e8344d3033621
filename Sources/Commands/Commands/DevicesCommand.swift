import Admin
import JSON
import Platform

extension Command {
    static let devices = Command(
        name: "devices",
        summary: "List the devices that have a profile of their own, or forget them.",
        usage: "devices [forget NAME|all] [options]",
        details: [
            "`shunt pair` and `shunt use PROFILE --device ADDRESS` add devices. A forgotten device follows the active "
                + "profile again and has to be paired again."
        ],
        options: [.running, .profiles, .json],
        operands: 0...2,
        examples: [("Forget all devices", "shunt devices forget all")]
    ) { arguments in
        let words = arguments.operands
        guard words.isEmpty || (words.count == 2 && words[0] == "forget") else {
            throw UsageError(
                "unknown action “\(words.joined(separator: " "))”",
                advice: "Usage: shunt devices [forget NAME|all]")
        }
        let client = AdminClient(try RunningShunt.find(arguments))
        let response: JSONValue
        let text: String
        if words.isEmpty {
            response = try client.devices()
            text = DevicesText(response).text
        } else {
            response = try client.forget(device: words[1] == "all" ? nil : words[1])
            let names = response["forgotten"]?.array?.compactMap(\.string) ?? []
            text = names.isEmpty ? "There was none.\n" : "Forgotten: \(names.joined(separator: ", ")).\n"
        }
        if arguments.has("json") { Terminal.out { $0.value(response) } } else { Terminal.out(text) }
        return 0
    }
}

/// The devices as a table.
struct DevicesText {
    private let devices: [JSONValue]
    private let users: [JSONValue]

    init(_ response: JSONValue) {
        devices = response["devices"]?.array ?? []
        users = response["users"]?.array ?? []
    }

    var text: String { table + choices }

    private var choices: String {
        users.map { "\($0["user"]?.string ?? "")'s devices go by profile \($0["profile"]?.string ?? "").\n" }.joined()
    }

    private var table: String {
        guard !devices.isEmpty else { return "No device is known: `shunt pair` pairs one.\n" }
        let hasUsers = devices.contains { $0["user"]?.string != nil }
        let rows = devices.map { device in
            let seen = StatusText.seconds(since: device["lastSeen"]?.number?.int64 ?? 0)
            let user = device["user"]?.string
            let row = [
                device["name"]?.string ?? "",
                device["profile"]?.string ?? (user == nil ? "(the active one)" : "(the user's)"),
                device["address"]?.string ?? "-", device["paired"]?.bool == true ? "paired" : "by address",
                seen < 2 ? "now" : "\(StatusText.span(seen)) ago",
            ]
            return hasUsers ? row + [user ?? "-"] : row
        }
        let heads = ["DEVICE", "PROFILE", "ADDRESS", "KNOWN", "LAST SEEN"] + (hasUsers ? ["USER"] : [])
        return TextTable([heads] + rows).listing
    }
}
