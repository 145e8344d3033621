import Admin

extension Command {
    static let devices = Command.admin(
        name: "devices",
        summary: "List the devices that have a profile of their own, or forget them.",
        usage: "devices [forget NAME|all] [options]",
        details: [
            "Programs of this machine that are connected, or have a profile of their own, follow the devices.",
            "`shunt pair` and `shunt use PROFILE --device ADDRESS` add devices. A forgotten device follows the active "
                + "profile again and has to be paired again.",
        ],
        actions: [Action("forget", 1...1)],
        examples: [("Forget all devices", "shunt devices forget all")]
    ) { shunt, arguments in
        guard let name = arguments.operands.dropFirst().first else {
            let devices = try shunt().ask(API.devices)
            return CommandResult(devices, DevicesText(devices).text)
        }
        let reply =
            name == "all"
            ? try shunt().ask(API.forgetDevices) { $0.all = true }
            : try shunt().ask(API.forgetDevice) { $0.device = name }
        let names = reply.forgotten.joined(separator: ", ")
        return CommandResult(reply, names.isEmpty ? "There was none.\n" : "Forgotten: \(names).\n")
    }
}

/// The devices as a table.
struct DevicesText {
    private let reply: Record<API.Devices>

    init(_ reply: Record<API.Devices>) { self.reply = reply }

    var text: String {
        table + reply.users.map { "\($0.user)'s devices go by profile \($0.profile).\n" }.joined() + apps
    }

    private var apps: String {
        guard !reply.apps.isEmpty else { return "" }
        let rows = reply.apps.map { [$0.app, $0.profile ?? "(as other clients)", "\($0.connections)"] }
        return "\n" + TextTable([["PROGRAM", "PROFILE", "CONNECTIONS"]] + rows).listing
    }

    private var table: String {
        let devices = reply.devices
        guard !devices.isEmpty else { return "No device is known: `shunt pair` pairs one.\n" }
        let hasUsers = devices.contains { $0.user != nil }
        let rows = devices.map { device in
            [
                device.name, device.profile ?? (device.user == nil ? "(the active one)" : "(the user's)"),
                device.address ?? "-", device.isPaired ? "paired" : "by address", Words.ago(device.lastSeen),
            ] + (hasUsers ? [device.user ?? "-"] : [])
        }
        let heads = ["DEVICE", "PROFILE", "ADDRESS", "KNOWN", "LAST SEEN"] + (hasUsers ? ["USER"] : [])
        return TextTable([heads] + rows).listing
    }
}
