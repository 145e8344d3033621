import Engine
public import JSON
import Profiles
import Store

/// The status of a running Shunt.
public struct AdminStatus: Sendable {
    public struct Profile: Sendable {
        public let name: String
        public let kind: String
        public let routes: Int
    }

    /// A profile that may be written to for a while.
    public struct Unlocked: Sendable {
        public let profile: String
        public let reason: String
        /// The remaining seconds.
        public let seconds: Int
    }

    public let pid: Int
    public let version: String
    public let startedAt: Int64
    public let urls: [String]
    /// Where devices choose; none where that is switched off.
    public let pages: [String]
    public let profilesDirectory: String
    public let active: String
    public let profiles: [Profile]
    public let connections: Int
    public let exchangesUnderWay: Int
    /// The exchanges under way that are WebSockets.
    public let webSockets: Int
    public let exchanges: Int
    public let failures: Int
    public let idleOriginConnections: Int
    /// Memory of bodies of requests that are held, and the most that it may be, in bytes.
    public let heldBodies: Int
    public let heldBodiesLimit: Int
    /// Tunnels of clients that have Shunt as their proxy: those that are open, and all there were.
    public let openTunnels: Int
    public let tunnels: Int
    /// How many devices are known.
    public let devices: Int
    public let unlocked: [Unlocked]
    /// Why origins are still production though no file says so.
    public let keptProduction: [String]
    /// How many mocks the active profile has.
    public let mocks: Int
    /// The names of those that are off for all clients.
    public let mocksOff: [String]
    /// The conditions that were chosen for networks, in words: `lte`, `metro for iPhone`.
    public let networks: [String]
    /// Where the keys of TLS connections are written; nil for nowhere.
    public let keyLog: String?
    /// The seconds for which all of a sealed store can be read here, 0 where only its newest part can; nil where the
    /// store is not sealed.
    public let sealedSeconds: Int?
    /// nil without a cluster.
    public let cluster: ClusterFigures?

    init(
        facts: AdminFacts, active: String, profiles: [Profile], keptProduction: [String], counts: Proxy.Status,
        held: HeldBodies, devices: Int,
        unlocked: [Unlocking], mocks: [MockState],
        networks: Networks, cluster: ClusterFigures?
    ) {
        self.cluster = cluster
        pid = Int(facts.pid)
        version = facts.version
        startedAt = facts.startedAt
        urls = facts.urls
        pages = facts.pageURLs
        profilesDirectory = facts.profilesDirectory
        keyLog = facts.keyLog
        sealedSeconds = facts.store.flatMap { SealedStores.isSealed($0) ? SealedStores.secondsLeft($0) ?? 0 : nil }
        self.active = active
        self.profiles = profiles
        self.keptProduction = keptProduction
        connections = counts.connections
        exchangesUnderWay = counts.active
        webSockets = counts.webSockets
        exchanges = Int(clamping: counts.exchanges)
        failures = Int(clamping: counts.failures)
        idleOriginConnections = counts.idleOriginConnections
        (heldBodies, heldBodiesLimit) = (held.count, held.limit)
        openTunnels = counts.openTunnels
        tunnels = Int(clamping: counts.tunnels)
        self.devices = devices
        self.mocks = mocks.count
        let choices = networks.choices()
        let run = choices.contains { $0.device == nil } ? nil : networks.run?.name
        self.networks =
            (run.map { [$0] } ?? [])
            + choices.map { ($0.conditions?.name ?? "off") + ($0.device.map { " for \($0)" } ?? "") }
        mocksOff = mocks.filter { !$0.isOn }.map(\.key.name)
        self.unlocked = unlocked.map {
            Unlocked(profile: $0.profile, reason: $0.reason, seconds: $0.secondsLeft())
        }
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("pid", pid)
            object.member("version", version)
            object.member("startedAt", startedAt)
            object.member("urls", urls)
            object.member("pages", pages)
            object.member("profilesDirectory", profilesDirectory)
            object.member("active", active)
            object.array("profiles") { array in
                for profile in profiles {
                    array.object { object in
                        object.member("name", profile.name)
                        object.member("kind", profile.kind)
                        object.member("routes", profile.routes)
                    }
                }
            }
            object.member("connections", connections)
            object.member("exchangesUnderWay", exchangesUnderWay)
            object.member("webSockets", webSockets)
            object.member("exchanges", exchanges)
            object.member("failures", failures)
            object.member("idleOriginConnections", idleOriginConnections)
            object.member("heldBodies", heldBodies)
            object.member("heldBodiesLimit", heldBodiesLimit)
            object.member("openTunnels", openTunnels)
            object.member("tunnels", tunnels)
            object.member("devices", devices)
            object.member("mocks", mocks)
            object.member("mocksOff", mocksOff)
            object.member("networks", networks)
            object.member("keyLog", keyLog)
            object.member("sealedSeconds", sealedSeconds)
            object.key("cluster")
            if let cluster { object.object(cluster.write) } else { object.null() }
            object.member("keptProduction", keptProduction)
            object.array("unlocked") { array in
                for entry in unlocked {
                    array.object { object in
                        object.member("profile", entry.profile)
                        object.member("reason", entry.reason)
                        object.member("seconds", entry.seconds)
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Reads what ``json`` wrote, maybe in another version; nil when too much is missing.
    public init?(_ value: JSONValue) {
        func int(_ name: String) -> Int { value[name]?.number?.int64.map { Int($0) } ?? 0 }
        guard let active = value["active"]?.string, value["pid"]?.number != nil else { return nil }
        pid = int("pid")
        version = value["version"]?.string ?? ""
        startedAt = Int64(int("startedAt"))
        urls = value["urls"]?.array?.compactMap(\.string) ?? []
        pages = value["pages"]?.array?.compactMap(\.string) ?? []
        profilesDirectory = value["profilesDirectory"]?.string ?? ""
        self.active = active
        profiles = (value["profiles"]?.array ?? []).compactMap { profile in
            guard let name = profile["name"]?.string else { return nil }
            return Profile(
                name: name, kind: profile["kind"]?.string ?? "",
                routes: profile["routes"]?.number?.int64.map { Int($0) } ?? 0)
        }
        connections = int("connections")
        exchangesUnderWay = int("exchangesUnderWay")
        webSockets = int("webSockets")
        exchanges = int("exchanges")
        failures = int("failures")
        idleOriginConnections = int("idleOriginConnections")
        heldBodies = int("heldBodies")
        heldBodiesLimit = int("heldBodiesLimit")
        openTunnels = int("openTunnels")
        tunnels = int("tunnels")
        devices = int("devices")
        mocks = int("mocks")
        mocksOff = value["mocksOff"]?.array?.compactMap(\.string) ?? []
        networks = value["networks"]?.array?.compactMap(\.string) ?? []
        keyLog = value["keyLog"]?.string
        sealedSeconds = value["sealedSeconds"]?.number?.int64.map { Int($0) }
        cluster = ClusterFigures(value["cluster"])
        keptProduction = value["keptProduction"]?.array?.compactMap(\.string) ?? []
        unlocked = (value["unlocked"]?.array ?? []).compactMap { entry in
            guard let profile = entry["profile"]?.string else { return nil }
            return Unlocked(
                profile: profile, reason: entry["reason"]?.string ?? "",
                seconds: entry["seconds"]?.number?.int64.map { Int($0) } ?? 0)
        }
    }
}
