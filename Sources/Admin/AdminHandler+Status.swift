import Engine
import Profiles
import Store

// What runs.
extension AdminHandler {
    func status() async -> Record<API.Status> {
        let counts = await proxy.status()
        let (library, active) = proxy.profiles.map { ($0.library, $0.active) } ?? (nil, "")
        let profiles = library?.profiles ?? []
        let mocks = profiles.first { $0.name == active }.map { proxy.mocks(of: $0) } ?? []
        var cluster: Record<API.Cluster>?
        if let member = facts.cluster { cluster = await Record(member) }
        let held = proxy.held
        return Record {
            $0.pid = Int(facts.pid)
            $0.version = facts.version
            $0.startedAt = Int(facts.startedAt)
            $0.urls = facts.urls
            $0.pages = facts.pageURLs
            $0.profilesDirectory = facts.profilesDirectory
            $0.active = active
            $0.profiles = profiles.map { profile in
                Record {
                    $0.name = profile.name
                    $0.kind = profile.kind.rawValue
                    $0.routes = profile.routes.count
                }
            }
            $0.allowedHosts = proxy.allowedHosts.map(\.description)
            $0.connections = counts.connections
            $0.exchangesUnderWay = counts.active
            $0.webSockets = counts.webSockets
            $0.exchanges = Int(clamping: counts.exchanges)
            $0.failures = Int(clamping: counts.failures)
            $0.idleOriginConnections = counts.idleOriginConnections
            ($0.heldBodies, $0.heldBodiesLimit) = (held.count, held.limit)
            $0.openTunnels = counts.openTunnels
            $0.tunnels = Int(clamping: counts.tunnels)
            $0.devices = proxy.devices.list.count
            $0.apps = apps.filter { $0.profile != nil }
            $0.mocks = mocks.count
            $0.mocksOff = mocks.filter { !$0.isOn }.map(\.key.name)
            $0.networks = networkNames
            $0.keyLog = facts.keyLog
            $0.sealedSeconds = facts.store.flatMap {
                SealedStores.isSealed($0) ? SealedStores.secondsLeft($0) ?? 0 : nil
            }
            $0.cluster = cluster
            $0.attachments = attachments
            $0.logins = logins
            $0.programs = programs
            $0.reflections = reflections
            $0.keptProduction = library?.keptProduction ?? []
            $0.unlocked = proxy.locks.list().map { entry in
                Record {
                    $0.profile = entry.profile
                    $0.reason = entry.reason
                    $0.seconds = entry.secondsLeft()
                }
            }
        }
    }

    /// Those that were chosen, in words.
    private var networkNames: [String] {
        let choices = proxy.networks.choices()
        let run = choices.contains { $0.device == nil } ? nil : proxy.networks.run?.name
        return (run.map { [$0] } ?? [])
            + choices.map { ($0.conditions?.name ?? "off") + ($0.device.map { " for \($0)" } ?? "") }
    }

    func reload() async -> HandledResponse {
        let report = await actions.reload()
        let record = Record<API.Reloaded> {
            $0.changes = report.changes
            $0.problems = report.problems
        }
        guard report.problems.isEmpty else {
            let refusal = AdminRefusal(
                422, "the profiles have errors, so the old ones stay",
                advice: "Correct the files; they are read again as soon as they change.")
            return .refusal(refusal, record.writeMembers)
        }
        return .json(200, record.bytes)
    }
}
