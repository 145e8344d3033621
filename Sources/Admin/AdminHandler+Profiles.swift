import Engine
import JSON
import Profiles
import Reactor

// The active profile, and the profiles that devices have chosen.
extension AdminHandler {
    func use(_ body: AdminBody) throws(AdminRefusal) -> HandledResponse {
        if let device = try body.optionalText("device", example: "{\"profile\": \"NAME\", \"device\": \"NAME\"}") {
            return try use(try body.optionalText("profile", example: "{\"profile\": \"NAME\"}"), device: device)
        }
        let wanted = try body.text("profile", example: "{\"profile\": \"NAME\"}")
        let old = proxy.profiles?.active ?? ""
        do throws(ProxyError) {
            try proxy.use(wanted)
        } catch {
            throw .cannotUse(wanted, error)
        }
        if old != wanted { actions.didUse(old, wanted) }
        return .json(200) { object in
            object.member("active", wanted)
            object.member("previous", old)
        }
    }

    /// - Parameter device: a device's name, or any client address.
    private func use(_ wanted: String?, device: String) throws(AdminRefusal) -> HandledResponse {
        if let wanted { _ = try profile(named: wanted) }
        let devices = proxy.devices
        let before: Device?
        let after: Device?
        if let known = devices.device(named: device) {
            before = known
            after = devices.assign(wanted, to: known.name)
        } else if let address = SocketAddress(literal: device, port: 0) {
            before = devices.device(address: address)
            after = devices.assign(wanted, at: address)
        } else {
            throw unknown(device: device)
        }
        if let after {
            actions.didChangeDevice(.assigned(after))
        } else if let before {
            actions.didChangeDevice(.forgotten(name: before.name))
        }
        return .json(200) { object in
            object.member("device", after?.name ?? before?.name ?? device)
            object.member("profile", after?.profile)
            object.member("previous", before?.profile)
        }
    }

    /// The profile of that name, or a refusal that names the nearest one.
    func profile(named name: String) throws(AdminRefusal) -> Profile {
        let library = proxy.profiles?.library
        if let profile = library?[name] { return profile }
        throw .cannotUse(
            name,
            .noSuchProfile(
                name, known: library?.profiles.map(\.name) ?? [], nearest: library?.nearestName(to: name)))
    }

    func unknown(device: String) -> AdminRefusal {
        let names = proxy.devices.list.map(\.name).joined(separator: ", ")
        return AdminRefusal(
            404, "no device is called “\(device)”, and it is no address either",
            advice: names.isEmpty
                ? "No device is paired yet: `shunt pair` does that." : "There are: \(names).")
    }
}
