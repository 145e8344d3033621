import Engine
import JSON
import Reactor

// Devices that have a profile of their own.
extension AdminHandler {
    func pair(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("profile", "app")
        if let app = try body.optionalText("app", example: "{\"app\": \"NAME\"}") {
            return try await add(app, body, call)
        }
        guard !facts.pages.isEmpty else {
            throw AdminRefusal(
                409, "the pages for devices are switched off, and devices are paired there",
                advice: "Start Shunt without --no-pages, or bind an address: `shunt use NAME --device ADDRESS`.")
        }
        let wanted = try body.optionalText("profile", example: "{\"profile\": \"NAME\"}")
        if let wanted { _ = try profile(named: wanted) }
        let code = proxy.devices.issueCode(for: wanted, of: call.caller.user)
        call.note.add(after: wanted)
        let path = "/pair?code=\(code.text)"
        let places = PairingPlaces(listening: facts.pages, machine: NetworkInterface.all())
        return .json(200) { object in
            object.member("code", code.text)
            object.member("seconds", Int(PairingCode.validity / 1_000_000_000))
            object.member("profile", wanted)
            object.member("urls", places.network.map { "http://\($0)\(path)" })
            object.member("localURL", places.local.map { "http://\($0)\(path)" })
        }
    }

    /// Makes a device of the user for an app, which sends its token itself.
    private func add(
        _ name: String, _ body: AdminBody, _ call: AdminCall
    ) async throws(AdminRefusal) -> HandledResponse {
        guard let user = call.caller.user else {
            throw AdminRefusal(
                409, "an app gets a token of a user's, and the owner is none",
                advice: "Make a user with `shunt token new NAME`, and use that token.")
        }
        let wanted = try body.optionalText("profile", example: "{\"app\": \"NAME\", \"profile\": \"NAME\"}")
        if let wanted { _ = try profile(named: wanted) }
        let ((device, token), snapshot) = try await changes.make { $0.devices.add(name, of: user, profile: wanted) }
        call.note.add(target: device.name, after: wanted)
        if snapshot == nil { actions.didChangeDevice(.paired(device)) }
        return .json(200) { object in
            object.member("device", device.name)
            object.member("user", user)
            object.member("profile", wanted)
            object.member("cookie", "\(DeviceToken.cookie)=\(token)")
        }
    }

    func listDevices() -> HandledResponse {
        .json(200) { object in
            object.array("devices") { array in
                for device in proxy.devices.list {
                    array.object { object in
                        object.member("name", device.name)
                        object.member("address", device.address?.host)
                        object.member("paired", device.token != nil)
                        object.member("profile", device.profile)
                        object.member("user", device.user)
                        object.member("lastSeen", device.lastSeen)
                    }
                }
            }
            object.array("users") { array in
                for (user, profile) in proxy.devices.choices.sorted(by: { $0.key < $1.key }) {
                    array.object { object in
                        object.member("user", user)
                        object.member("profile", profile)
                    }
                }
            }
        }
    }

    func forgetDevices(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("device", "all")
        let device =
            try body.flag("all", example: "{\"all\": true}")
            ? nil : try body.text("device", example: "{\"device\": \"NAME\"} or {\"all\": true}")
        let (forgotten, snapshot) = try await changes.make { (board) throws(AdminRefusal) in
            guard let device else { return board.devices.list.map(\.name).filter(board.devices.forget) }
            let known =
                board.devices.device(named: device)
                ?? SocketAddress(literal: device, port: 0).flatMap(board.devices.device(address:))
            guard let known, board.devices.forget(known.name) else { throw self.unknown(device: device) }
            return [known.name]
        }
        call.note.add(target: forgotten.joined(separator: ", "))
        if snapshot == nil { for name in forgotten { actions.didChangeDevice(.forgotten(name: name)) } }
        return .json(200) { $0.member("forgotten", forgotten) }
    }
}

/// Where a device can reach the pages: hosts with ports, for URLs.
struct PairingPlaces {
    /// In private networks, those first that a phone is most likely in.
    let network: [String]
    /// On this machine.
    let local: String?

    init(listening addresses: [SocketAddress], machine: [NetworkInterface]) {
        var network: [String] = []
        var local: String?
        for address in addresses {
            let isWildcard = address.bytes.allSatisfy { $0 == 0 }
            if local == nil && (isWildcard || address.isLoopback) { local = "localhost:\(address.port)" }
            // A link-local IPv6 address means nothing without its interface, which URLs cannot name.
            let candidates =
                isWildcard ? machine.map(\.address).filter { $0.family == address.family } : [address]
            for candidate in candidates where candidate.isPrivate && candidate.bytes.first != 0xfe {
                let host = candidate.family == .ipv6 ? "[\(candidate.host)]" : candidate.host
                if !network.contains("\(host):\(address.port)") { network.append("\(host):\(address.port)") }
            }
        }
        self.network = network
        self.local = local
    }
}
