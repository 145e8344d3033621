import JSON

// The document in the database.
extension ClusterState {
    /// What this Shunt reads and writes.
    static let version = 1
    /// The largest document, far beyond 256 devices and hundreds of mocks.
    static let maxBytes = 1 << 20
    /// Those that the numbers of JSON can name.
    static let revisions: ClosedRange<Int64> = 0...(1 << 53)

    public var json: [UInt8] {
        return JSONWriter.object { object in
            object.members(["version": Self.version, "active": active])
            object.array("unlocked") { array in
                for entry in unlocked { array.object(entry.write) }
            }
            object.object("locked") { object in
                for (profile, revision) in locked.sorted(by: { $0.key < $1.key }) { object.member(profile, revision) }
            }
            object.array("devices") { array in for device in devices { array.object(device.write) } }
            object.object("users") { object in
                for (user, profile) in choices.sorted(by: { $0.key < $1.key }) { object.member(user, profile) }
            }
            object.array("mocks") { array in for mock in mocks { array.object(mock.write) } }
            object.array("networks") { array in for network in networks { array.object(network.write) } }
        }
    }

    /// Reads a document strictly: other programs may write into the database, too.
    public init(json: [UInt8]) throws(ClusterRefusal) {
        guard json.count <= Self.maxBytes else { throw .unreadable("it has \(json.count >> 10) KiB") }
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONReader.read(json, dialect: .strict)
        } catch {
            throw .unreadable("it is no JSON: \(error)")
        }
        guard let version = value["version"]?.number?.int64 else { throw .unreadable("it names no version") }
        guard version == Self.version else {
            throw .unreadable("it is of version \(version), and this Shunt knows version \(Self.version)")
        }
        guard let active = value["active"]?.name else { throw .unreadable("it names no active profile") }
        self.init(active: active)
        unlocked = try Self.list(value, "unlocked", ClusterUnlock.init)
        for member in value["locked"]?.object ?? [] {
            guard let revision = member.value.time else { throw .unreadable("“locked” has no numbers") }
            locked[member.key] = revision
        }
        devices = try Self.list(value, "devices", max: 256, ClusterDevice.init)
        guard let users = value["users"]?.object else { throw .unreadable("it has no “users”") }
        for member in users {
            guard let profile = member.value.name else { throw .unreadable("“users” has no names of profiles") }
            choices[member.key] = profile
        }
        mocks = try Self.list(value, "mocks", ClusterMock.init)
        networks = try Self.list(value, "networks", ClusterNetwork.init)
        guard Set(unlocked.map(\.profile)).count == unlocked.count else {
            throw .unreadable("it unlocks a profile twice")
        }
    }

    private static func list<Element>(
        _ value: JSONValue, _ name: String, max: Int = 4096, _ read: (JSONValue) -> Element?
    ) throws(ClusterRefusal) -> [Element] {
        guard let items = value[name]?.array else { throw .unreadable("it has no list “\(name)”") }
        guard items.count <= max else { throw .unreadable("“\(name)” has \(items.count) entries; \(max) are possible") }
        let found = items.compactMap(read)
        guard found.count == items.count else { throw .unreadable("“\(name)” has a wrong entry") }
        return found
    }
}

extension JSONValue {
    /// A text without what a terminal would obey.
    fileprivate var name: String? { string.flatMap { $0.isPlain ? $0 : nil } }

    /// A point of time, or a span of it, within what a sum of two can hold.
    fileprivate var time: Int64? { number?.int64.flatMap { (0...(1 << 53)).contains($0) ? $0 : nil } }

    fileprivate var seconds: Int? { time.flatMap { $0 > 0 && $0 <= 86_400 ? Int($0) : nil } }
}

extension ClusterUnlock {
    fileprivate func write(_ object: inout JSONWriter) {
        object.members([
            "id": id, "profile": profile, "reason": reason, "seconds": seconds, "until": until, "node": node,
        ])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.name, let profile = value["profile"]?.name,
            let reason = value["reason"]?.name, let seconds = value["seconds"]?.seconds,
            let until = value["until"]?.time
        else { return nil }
        self.init(
            id: id, profile: profile, reason: reason, seconds: seconds, until: until,
            node: value["node"]?.name ?? "")
    }
}

extension ClusterDevice {
    fileprivate func write(_ object: inout JSONWriter) {
        object.members([
            "name": name, "address": address, "token": token, "profile": profile, "user": user, "lastSeen": lastSeen,
        ])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.name else { return nil }
        self.init(
            name: name, address: value["address"]?.name, token: value["token"]?.name,
            profile: value["profile"]?.name, user: value["user"]?.name, lastSeen: value["lastSeen"]?.time ?? 0)
    }
}

extension ClusterMock {
    fileprivate func write(_ object: inout JSONWriter) {
        object.members(["profile": profile, "name": name, "device": device, "on": isOn])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let profile = value["profile"]?.name, let name = value["name"]?.name, let isOn = value["on"]?.bool
        else { return nil }
        self.init(profile: profile, name: name, device: value["device"]?.name, isOn: isOn)
    }
}

extension ClusterNetwork {
    fileprivate func write(_ object: inout JSONWriter) {
        object.members(["network": network, "device": device])
        if let seconds, let until {
            object.members(["seconds": seconds, "until": until])
        }
    }

    fileprivate init?(_ value: JSONValue) {
        let (seconds, until) = (value["seconds"]?.seconds, value["until"]?.time)
        guard value["network"] != nil, (seconds == nil) == (until == nil) else { return nil }
        self.init(network: value["network"]?.name, device: value["device"]?.name, seconds: seconds, until: until)
    }
}

extension String {
    /// Has nothing that a terminal would obey.
    var isPlain: Bool { !unicodeScalars.contains { $0.properties.generalCategory == .control } }

    /// What other nodes have written, as a terminal may show it.
    var shown: String {
        var text = ""
        for scalar in unicodeScalars.prefix(300) {
            text.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return text
    }
}
