import Engine
import JSON
import Profiles
import Reactor

// The active profile, and the profiles that devices have chosen.
extension AdminHandler {
    func use(_ body: Record<API.Use>, _ call: AdminCall) async throws -> Record<API.Used> {
        let wanted = body.profile
        let patience = try patience(body.wait, body.waitSeconds)
        var closes = body.closeSockets ?? false
        let note = call.note
        note.add(target: "all", after: wanted)
        let (old, snapshot) = try await changes.make { board in
            let old = board.active
            note.add(before: old)
            try board.use(wanted)
            return old
        }
        // A change of a cluster is told of where it is taken over.
        if old != wanted, snapshot == nil { actions.didUse(old, wanted) }
        let takeover = await takeover(snapshot, active: wanted, patience)
        let unanswered = await unanswered(snapshot, patience)
        if !closes { closes = try profile(named: wanted).closesSockets }
        let streams = await proxy.streams(besides: wanted, ending: closes)
        let open: Record<API.Streams>? =
            streams.webSockets + streams.eventStreams == 0
            ? nil
            : Record {
                $0.webSockets = streams.webSockets
                $0.eventStreams = streams.eventStreams
            }
        return Record {
            $0.active = wanted
            $0.previous = old
            $0.unanswered = unanswered
            if closes { $0.closed = open } else { $0.open = open }
            $0.cluster = Record(takeover, of: snapshot)
        }
    }

    /// - Parameter device: a device's name, or any client address.
    func useDevice(_ body: Record<API.UseDevice>, _ call: AdminCall) async throws -> Record<API.UsedDevice> {
        let (wanted, device) = (body.profile, body.device)
        if let wanted { _ = try profile(named: wanted) }
        let caller = call.caller
        call.note.add(target: "device \(device)", after: wanted ?? "the active one")
        let (changed, snapshot) = try await changes.make { board -> DeviceChange in
            let devices = board.devices
            let known = devices.device(named: device)
            if known?.user == nil || known?.user != caller.user { try caller.require(.devices) }
            if let known { return DeviceChange(before: known, after: devices.assign(wanted, to: known.name)) }
            guard let address = SocketAddress(literal: device, port: 0) else { throw self.unknown(device: device) }
            return DeviceChange(before: devices.device(address: address), after: devices.assign(wanted, at: address))
        }
        let (before, after) = (changed.before, changed.after)
        call.note.add(
            target: "device \(after?.name ?? before?.name ?? device)", before: before?.profile ?? "the active one",
            after: after?.profile ?? "the active one")
        if snapshot == nil {
            if let after {
                actions.didChangeDevice(.assigned(after))
            } else if let before {
                actions.didChangeDevice(.forgotten(name: before.name))
            }
        }
        return Record {
            $0.device = after?.name ?? before?.name ?? device
            $0.profile = after?.profile
            $0.previous = before?.profile
        }
    }

    /// Sets the profile of a program of this machine: in a cluster on this node alone, where the program is.
    func useApp(_ body: Record<API.UseApp>, _ call: AdminCall) throws -> Record<API.UsedApp> {
        let (wanted, app) = (body.profile, body.app)
        call.note.add(target: "app \(app)", after: wanted ?? "as other clients")
        try call.caller.require(.devices)
        if let fault = AppName.fault(in: app) {
            throw AdminRefusal(
                400, "the app names no program: \(fault)",
                advice: "Send the name of its file, such as curl or tests.py.")
        }
        if let wanted { _ = try profile(named: wanted) }
        let (before, isDone) = proxy.devices.choose(wanted, app: app)
        guard isDone else {
            throw AdminRefusal(
                409, "\(Devices.appLimit) programs have a profile of their own already",
                advice: "`shunt devices` lists them; `shunt use --app NAME --active` takes one away.")
        }
        call.note.add(before: before ?? "as other clients")
        if before != wanted { actions.didChangeDevice(.app(name: app, profile: wanted)) }
        return Record {
            $0.app = app
            $0.profile = wanted
            $0.previous = before
        }
    }

    /// Sets the profile of the caller's own devices.
    func useMine(_ body: Record<API.Choice>, _ call: AdminCall) async throws -> Record<API.UsedUser> {
        guard let user = call.caller.user else {
            throw AdminRefusal(
                409, "the owner's token is no user's, so that there are no devices of its own",
                advice: "Send the token of a user, such as by SHUNT_TOKEN; `shunt token new NAME` makes one.")
        }
        return try await use(body.profile, user: user, call)
    }

    /// Another user's takes the permission for everything.
    func use(_ wanted: String?, user: String, _ call: AdminCall) async throws -> Record<API.UsedUser> {
        if user != call.caller.user { try call.caller.require(.admin) }
        if let wanted { _ = try profile(named: wanted) }
        guard facts.users?.names()?.contains(user) ?? false else {
            throw AdminRefusal(
                404, "no user is called “\(user)”", advice: "`shunt token list` lists those that have a token.")
        }
        call.note.add(target: "user \(user)", after: wanted ?? "the active one")
        let (before, _) = try await changes.make { $0.devices.choose(wanted, for: user) }
        call.note.add(before: before ?? "the active one")
        return Record {
            $0.user = user
            $0.profile = wanted
            $0.previous = before
        }
    }

    /// The profile of that name, or a refusal that names the nearest one.
    func profile(named name: String) throws -> Profile {
        let library = proxy.profiles?.library
        if let profile = library?[name] { return profile }
        throw ProxyError.noSuchProfile(
            name, known: library?.profiles.map(\.name) ?? [], nearest: library?.nearestName(to: name))
    }

    func unknown(device: String) -> AdminRefusal {
        let names = proxy.devices.list.map(\.name).joined(separator: ", ")
        return AdminRefusal(
            404, "no device is called “\(device)”, and it is no address either",
            advice: names.isEmpty
                ? "No device is paired yet: `shunt pair` does that." : "There are: \(names).")
    }
}

private struct DeviceChange: Sendable {
    let before: Device?
    let after: Device?
}
