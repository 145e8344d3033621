import Engine
import JSON
import Profiles
import Reactor

// What the networks of clients are like.
extension AdminHandler {
    func showNetworks() -> Record<API.Networks> {
        Record {
            $0.choices = proxy.networks.choices().map { choice in
                Record {
                    $0.device = choice.device
                    $0.network = Self.network(choice.conditions)
                    $0.seconds = choice.secondsLeft()
                }
            }
            $0.run = Self.network(proxy.networks.run)
            $0.profiles = (proxy.profiles?.library.profiles ?? []).compactMap { profile in
                profile.network.map { network in
                    Record {
                        $0.profile = profile.name
                        $0.network = .written(by: network.writeMembers)
                    }
                }
            }
            $0.presets = NetworkConditions.presets.map { .written(by: $0.writeMembers) }
        }
    }

    private static func network(_ conditions: NetworkConditions?) -> Record<API.Network>? {
        conditions.map { .written(by: $0.writeMembers) }
    }

    func chooseNetwork(_ body: Record<API.NetworkChoiceBody>, _ call: AdminCall) async throws -> Record<API.Networks> {
        let (name, seconds) = (body.network, body.seconds)
        let device = try networkDevice(body.device)
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
        do throws(UnknownNetwork) { conditions = name == "off" ? nil : try UnknownNetwork.find(name) } catch {
            throw AdminRefusal(404, "there is no network “\(name)”", advice: error.advice + " Or off, or default.")
        }
        let (choice, snapshot) = try await changes.make { $0.choose(conditions, for: device, seconds: seconds) }
        let what = conditions.map { "\($0.name) (\($0.summary))" } ?? "the one that there is"
        guard snapshot == nil else { return showNetworks() }
        actions.didChooseNetwork("the network of \(whose) is \(what) now", choice)
        return showNetworks()
    }

    /// A device's name, or the address of any client.
    private func networkDevice(_ text: String?) throws -> String? {
        guard let text else { return nil }
        if let known = proxy.devices.device(named: text) { return known.name }
        guard let address = SocketAddress(literal: text, port: 0) else { throw unknown(device: text) }
        return proxy.devices.device(address: address)?.name ?? address.unmapped.host
    }
}
