import Admin

extension Command {
    static let pair = Command.admin(
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
        ],
        examples: [
            ("A phone that uses staging, whatever is active here", "shunt pair --profile staging"),
            ("Help a phone to trust the CA", "shunt pair --ca"),
        ]
    ) { shunt, arguments in
        let profile = arguments.text("profile")
        if let app = arguments.text("app") {
            let reply = try shunt().ask(API.pairApp) { ($0.app, $0.profile) = (app, profile) }
            return CommandResult(reply, "Cookie: \(reply.cookie)\n")
        }
        let reply = try shunt().ask(API.pair) { $0.profile = profile }
        let text = PairText(reply: reply)
        let painted = Terminal.isTerminal(1)
        return CommandResult(
            reply, arguments.has("ca") ? text.authorityText(painted: painted) : text.text(painted: painted))
    }
}

/// How to pair a device, for people.
struct PairText {
    let reply: Record<API.Pairing>

    /// The page where a device comes to trust the CA; it needs no code.
    func authorityText(painted: Bool) -> String {
        let pages = (reply.urls + [reply.localURL].compactMap { $0 }).map { $0.prefix { $0 != "?" } }
            .filter { $0.hasSuffix("/pair") }.map { String($0.dropLast(4)) + "ca" }
        guard let first = pages.first else { return "No device can reach this Shunt.\n" }
        let code = QRCode(String(first))?.text(painted: painted) ?? ""
        return code + "\nTo let a device trust the CA, scan this with it, or open there:\n"
            + pages.map { "  \($0)\n" }.joined()
    }

    func text(painted: Bool) -> String {
        var text = ""
        if let first = reply.urls.first {
            if let code = QRCode(first) { text += code.text(painted: painted) + "\n" }
            text += "Scan it with the phone, or open on the phone:\n"
            for url in reply.urls { text += "  \(url)\n" }
        } else {
            text += "No phone can reach this Shunt: it listens at no address of a private network.\n"
            text += "  To let phones in, start it with `shunt serve --host 0.0.0.0`, on a machine that is in one.\n"
        }
        if let local = reply.localURL { text += "On this machine (browsers, simulators):\n  \(local)\n" }
        let grouped = reply.code.prefix(4) + "-" + reply.code.dropFirst(4)
        text += "The code \(grouped) is good for one device and \(reply.seconds / 60) minutes.\n"
        text += "To let it trust the CA, too: the page /ca there (shunt pair --ca).\n"
        if let profile = reply.profile { text += "The device gets profile \(profile) at once.\n" }
        return text
    }
}
