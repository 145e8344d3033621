import Engine
import JSON
import Reactor

// Devices that have a profile of their own.
extension AdminHandler {
    func pair(_ body: Record<API.Choice>, _ call: AdminCall) throws -> Record<API.Pairing> {
        guard !facts.pages.isEmpty else {
            throw AdminRefusal(
                409, "the pages for devices are switched off, and devices are paired there",
                advice: "Start Shunt without --no-pages, or bind an address: `shunt use NAME --device ADDRESS`.")
        }
        let wanted = body.profile
        if let wanted { _ = try profile(named: wanted) }
        let code = proxy.devices.issueCode(for: wanted, of: call.caller.user)
        call.note.add(after: wanted)
        let path = "/pair?code=\(code.text)"
        let places = PairingPlaces(listening: facts.pages, machine: NetworkInterface.all())
        return Record {
            $0.code = code.text
            $0.seconds = Int(PairingCode.validity / 1_000_000_000)
            $0.profile = wanted
            $0.urls = places.network.map { "http://\($0)\(path)" }
            $0.localURL = places.local.map { "http://\($0)\(path)" }
        }
    }

    /// Makes a device of the user for an app, which sends its token itself.
    func pairApp(_ body: Record<API.App>, _ call: AdminCall) async throws -> Record<API.PairedApp> {
        guard let user = call.caller.user else {
            throw AdminRefusal(
                409, "an app gets a token of a user's, and the owner is none",
                advice: "Make a user with `shunt token new NAME`, and use that token.")
        }
        let (name, wanted) = (body.app, body.profile)
        if let wanted { _ = try profile(named: wanted) }
        let ((device, token), snapshot) = try await changes.make { $0.devices.add(name, of: user, profile: wanted) }
        call.note.add(target: device.name, after: wanted)
        if snapshot == nil { actions.didChangeDevice(.paired(device)) }
        return Record {
            $0.device = device.name
            $0.user = user
            $0.profile = wanted
            $0.cookie = "\(DeviceToken.cookie)=\(token)"
        }
    }

    func listDevices() -> Record<API.Devices> {
        Record {
            $0.devices = proxy.devices.list.map { device in
                Record {
                    $0.name = device.name
                    $0.address = device.address?.host
                    $0.isPaired = device.token != nil
                    $0.profile = device.profile
                    $0.user = device.user
                    $0.lastSeen = Int(device.lastSeen)
                }
            }
            $0.apps = apps
            $0.users = proxy.devices.choices.sorted { $0.key < $1.key }.map { user, profile in
                Record {
                    $0.user = user
                    $0.profile = profile
                }
            }
        }
    }

    /// Programs of this machine that are connected, and those that have a profile of their own.
    var apps: [Record<API.AppChoice>] {
        let choices = proxy.devices.apps
        let connected = proxy.clientPrograms.connected.map { program, connections in
            (app: program.label, profile: program.names.lazy.compactMap { choices[$0] }.first, connections: connections)
        }
        let others = choices.filter { app, _ in !connected.contains { $0.app == app } }
        let all = connected + others.map { (app: $0.key, profile: $0.value, connections: 0) }
        return all.sorted { $0.app < $1.app }.map { entry in
            Record {
                $0.app = entry.app
                $0.profile = entry.profile
                $0.connections = entry.connections
            }
        }
    }

    func forgetAllDevices(_ body: Record<API.All>, _ call: AdminCall) async throws -> Record<
        API.Forgotten
    > {
        guard body.all else {
            throw AdminRefusal(400, "the body names no device", advice: "Send one as “device”, or “all”: true.")
        }
        return try await forgetDevices(nil, call)
    }

    /// - Parameter text: its name or address.
    func knownDevice(_ text: String) throws -> Device {
        let known =
            proxy.devices.device(named: text)
            ?? SocketAddress(literal: text, port: 0).flatMap(proxy.devices.device(address:))
        guard let known else { throw unknown(device: text) }
        return known
    }

    /// - Parameter device: nil for all of them.
    func forgetDevices(_ device: String?, _ call: AdminCall) async throws -> Record<API.Forgotten> {
        let (forgotten, snapshot) = try await changes.make { board in
            guard let device else { return board.devices.list.map(\.name).filter(board.devices.forget) }
            let known =
                board.devices.device(named: device)
                ?? SocketAddress(literal: device, port: 0).flatMap(board.devices.device(address:))
            guard let known, board.devices.forget(known.name) else { throw self.unknown(device: device) }
            return [known.name]
        }
        call.note.add(target: forgotten.joined(separator: ", "))
        if snapshot == nil { for name in forgotten { actions.didChangeDevice(.forgotten(name: name)) } }
        return Record { $0.forgotten = forgotten }
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
            let candidates = isWildcard ? machine.map(\.address).filter { $0.family == address.family } : [address]
            for candidate in candidates where candidate.isPrivate && candidate.bytes.first != 0xfe {
                let host = candidate.family == .ipv6 ? "[\(candidate.host)]" : candidate.host
                if !network.contains("\(host):\(address.port)") { network.append("\(host):\(address.port)") }
            }
        }
        (self.network, self.local) = (network, local)
    }
}
