import Engine
import JSON
import Profiles
import Reactor

// The active profile, and the profiles that devices have chosen.
extension AdminHandler {
    func use(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        let body = try call.body("profile", "device", "user")
        if let device = try body.optionalText("device", example: "{\"profile\": \"NAME\", \"device\": \"NAME\"}") {
            guard body.value?["user"] == nil else {
                throw AdminRefusal(400, "the body names a device and a user", advice: "Send one of them.")
            }
            return try use(try body.optionalText("profile", example: "{\"profile\": \"NAME\"}"), device: device, call)
        }
        if let user = try body.optionalText("user", example: "{\"profile\": \"NAME\", \"user\": \"NAME\"}") {
            return try use(try body.optionalText("profile", example: "{\"profile\": \"NAME\"}"), user: user, call)
        }
        let wanted = try body.text("profile", example: "{\"profile\": \"NAME\"}")
        let old = proxy.profiles?.active ?? ""
        call.note.add(target: "all", before: old, after: wanted)
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
    private func use(
        _ wanted: String?, device: String, _ call: AdminCall
    ) throws(AdminRefusal) -> HandledResponse {
        if let wanted { _ = try profile(named: wanted) }
        let devices = proxy.devices
        let owner = devices.device(named: device)?.user
        if owner == nil || owner != call.caller.user { try call.caller.require(.devices) }
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
        call.note.add(
            target: "device \(after?.name ?? before?.name ?? device)", before: before?.profile ?? "the active one",
            after: after?.profile ?? "the active one")
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

    /// Sets the profile of the caller's own devices.
    func useMine(_ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        guard let user = call.caller.user else {
            throw AdminRefusal(
                409, "the owner's token is no user's, so that there are no devices of its own",
                advice: "Send the token of a user, such as by SHUNT_TOKEN; `shunt token new NAME` makes one.")
        }
        return try use(
            try call.body("profile").optionalText("profile", example: "{\"profile\": \"NAME\"}"), user: user, call)
    }

    /// Another user's takes the permission for everything.
    private func use(_ wanted: String?, user: String, _ call: AdminCall) throws(AdminRefusal) -> HandledResponse {
        if user != call.caller.user { try call.caller.require(.admin) }
        if let wanted { _ = try profile(named: wanted) }
        guard facts.users?.names()?.contains(user) ?? false else {
            throw AdminRefusal(
                404, "no user is called “\(user)”", advice: "`shunt token list` lists those that have a token.")
        }
        let before = proxy.devices.choose(wanted, for: user)
        call.note.add(
            target: "user \(user)", before: before ?? "the active one", after: wanted ?? "the active one")
        return .json(200) { object in
            object.member("user", user)
            object.member("profile", wanted)
            object.member("previous", before)
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
