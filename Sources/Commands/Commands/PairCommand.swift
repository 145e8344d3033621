import Admin
import JSON
import Platform

extension Command {
    static let pair = Command(
        name: "pair",
        summary: "Pair a phone, which then chooses its own profile.",
        usage: "pair [options]",
        details: [
            "Shows a QR code and a link that a phone in the same network opens to be paired with the running Shunt. The "
                + "code is valid for one device and ten minutes. Afterwards the page at the same address (Shunt's host, "
                + "and the port of --pages-port) switches the phone to another profile. This includes the apps on the "
                + "phone, which Shunt recognises by its address.",
            "A device that is paired with your token is yours: it follows `shunt use NAME --mine`, and is recognised by the "
                + "cookie alone, since another device can get its address.",
            "A phone can reach Shunt only if Shunt listens on its network: `shunt serve --host 0.0.0.0`.",
        ],
        options: [
            .value(
                "profile", "NAME", default: "the active one, also after it is switched",
                "The profile that the device gets at once."),
            .value(
                "app", "NAME",
                "For an app or a script of yours: print the cookie that it sends with its requests. This needs your "
                    + "token."
            ),
            .flag("ca", "Show the address of the page that helps a device to trust the CA, and pair no device."),
            .running,
            .profiles, .json,
        ],
        examples: [
            ("A phone that uses staging, whatever is active here", "shunt pair --profile staging"),
            ("Help a phone to trust the CA", "shunt pair --ca"),
        ]
    ) { arguments in
        let record = try RunningShunt.find(arguments)
        if let app = arguments.text("app") {
            let response = try AdminClient(record).pair(app: app, profile: arguments.text("profile"))
            if arguments.has("json") {
                Terminal.out { $0.value(response) }
            } else {
                Terminal.out("Cookie: \(response["cookie"]?.string ?? "")\n")
            }
            return 0
        }
        let response = try AdminClient(record).pair(profile: arguments.text("profile"))
        if arguments.has("ca") {
            Terminal.out(PairText(response).authorityText(painted: Terminal.isTerminal(1)))
        } else if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(PairText(response).text(painted: Terminal.isTerminal(1)))
        }
        return 0
    }
}

/// How to pair a device, for people.
struct PairText {
    private let code: String
    private let minutes: Int
    private let profile: String?
    private let urls: [String]
    private let local: String?

    init(_ response: JSONValue) {
        code = response["code"]?.string ?? ""
        minutes = Int(response["seconds"]?.number?.int64 ?? 0) / 60
        profile = response["profile"]?.string
        urls = response["urls"]?.array?.compactMap(\.string) ?? []
        local = response["localURL"]?.string
    }

    /// The page where a device comes to trust the CA; it needs no code.
    func authorityText(painted: Bool) -> String {
        let pages = (urls + [local].compactMap { $0 }).map { $0.prefix { $0 != "?" } }
            .filter { $0.hasSuffix("/pair") }.map { String($0.dropLast(4)) + "ca" }
        guard let first = pages.first else { return "No device can reach this Shunt.\n" }
        let code = QRCode(String(first))?.text(painted: painted) ?? ""
        return code + "\nTo let a device trust the CA, scan this with it, or open there:\n"
            + pages.map { "  \($0)\n" }.joined()
    }

    func text(painted: Bool) -> String {
        var text = ""
        if let first = urls.first {
            if let code = QRCode(first) { text += code.text(painted: painted) + "\n" }
            text += "Scan it with the phone, or open on the phone:\n"
            for url in urls { text += "  \(url)\n" }
        } else {
            text += "No phone can reach this Shunt: it listens at no address of a private network.\n"
            text += "  To let phones in, start it with `shunt serve --host 0.0.0.0`, on a machine that is in one.\n"
        }
        if let local { text += "On this machine (browsers, simulators):\n  \(local)\n" }
        let grouped = code.prefix(4) + "-" + code.dropFirst(4)
        text += "The code \(grouped) is good for one device and \(minutes) minutes.\n"
        text += "To let it trust the CA, too: the page /ca there (shunt pair --ca).\n"
        if let profile { text += "The device gets profile \(profile) at once.\n" }
        return text
    }
}
