import Engine
import JSON
import Profiles
import Reactor

// What the networks of clients are like.
extension AdminHandler {
    private static let example = "{\"network\": \"lte\"}, {\"network\": \"off\"} or {\"network\": \"default\"}"

    func showNetworks() -> HandledResponse {
        .json(200) { object in
            object.array("choices") { array in
                for choice in proxy.networks.choices() { array.object { Self.write(choice, to: &$0) } }
            }
            object.key("run")
            Self.write(proxy.networks.run, to: &object)
            object.array("profiles") { array in
                for profile in proxy.profiles?.library.profiles ?? [] {
                    guard let network = profile.network else { continue }
                    array.object { object in
                        object.member("profile", profile.name)
                        object.object("network", network.writeMembers)
                    }
                }
            }
            object.array("presets") { array in
                for preset in NetworkConditions.presets { array.object(preset.writeMembers) }
            }
        }
    }

    func chooseNetwork(_ call: AdminCall) async throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("network", "device", "seconds")
        let name = try body.text("network", example: Self.example)
        let device = try networkDevice(try body.optionalText("device", example: Self.example))
        let seconds = try body.optionalInteger("seconds", example: Self.example)
        if let seconds, !Networks.allowed.contains(seconds) {
            throw AdminRefusal(
                400, "nothing is chosen for \(seconds) s",
                advice: "Give a time from \(Networks.allowed.lowerBound) s to \(Networks.allowed.upperBound / 3600) h.")
        }
        let before = proxy.networks.choices().first { $0.device == device }
        call.note.add(
            target: device ?? "all clients", before: before.map { $0.conditions?.name ?? "off" } ?? "default",
            after: name + (seconds.map { " for \($0) s" } ?? ""))
        let whose = device.map { "device \($0)" } ?? "all clients"
        if name == "default" {
            guard seconds == nil else {
                throw AdminRefusal(
                    400, "\"seconds\" and the network “default” exclude each other", advice: "Leave one of them away.")
            }
            let (wasChosen, snapshot) = try await changes.make { $0.forgetNetwork(of: device) }
            if wasChosen, snapshot == nil {
                actions.didChooseNetwork("the network of \(whose) is as the run and the profiles say", nil)
            }
            return showNetworks()
        }
        let conditions: NetworkConditions?
        do throws(UnknownNetwork) {
            conditions = name == "off" ? nil : try UnknownNetwork.find(name)
        } catch {
            throw AdminRefusal(404, "there is no network “\(name)”", advice: error.advice + " Or off, or default.")
        }
        let (choice, snapshot) = try await changes.make { $0.choose(conditions, for: device, seconds: seconds) }
        let what = conditions.map { "\($0.name) (\($0.summary))" } ?? "the one that there is"
        guard snapshot == nil else { return showNetworks() }
        actions.didChooseNetwork("the network of \(whose) is \(what) now", choice)
        return showNetworks()
    }

    /// A device's name, or the address of any client.
    private func networkDevice(_ text: String?) throws(AdminRefusal) -> String? {
        guard let text else { return nil }
        if let known = proxy.devices.device(named: text) { return known.name }
        guard let address = SocketAddress(literal: text, port: 0) else { throw unknown(device: text) }
        return proxy.devices.device(address: address)?.name ?? address.unmapped.host
    }

    private static func write(_ choice: NetworkChoice, to object: inout JSONWriter) {
        object.member("device", choice.device)
        object.key("network")
        write(choice.conditions, to: &object)
        object.key("seconds")
        if let seconds = choice.secondsLeft() { object.value(seconds) } else { object.null() }
    }

    private static func write(_ conditions: NetworkConditions?, to object: inout JSONWriter) {
        if let conditions { object.object(conditions.writeMembers) } else { object.null() }
    }
}
