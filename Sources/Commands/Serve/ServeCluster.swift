import Admin
import Cluster
import Engine
import JSON
import Platform
import Postgres
import Profiles
import Reactor

/// The part of a `serve` in its cluster.
struct ServeCluster: Sendable {
    let member: ClusterMember
    private let file: ClusterFile
    /// What it begins with: the state of the cluster, else the last one that was known here.
    private let state: ClusterState?
    private let note: ResponseNote?
    private let announcer: Announcer

    /// Asks the database; nil without a cluster.
    static func connect(_ settings: ServeSettings, _ project: Project) throws -> ServeCluster? {
        guard let cluster = settings.cluster.settings else { return nil }
        let file = ClusterFile(profilesDirectory: project.profilesDirectory, group: cluster.group, port: settings.port)
        let kept = file.read()
        do throws(PostgresFailure) {
            let member = try ClusterMember(cluster, waitingLocks: kept.waitingLocks)
            if let problem = member.condition.problem {
                let known = kept.state.map { "with profile \($0.active), as it was last known, and " } ?? ""
                settings.announcer.warn(
                    .cluster,
                    "the database of the cluster is away: Shunt begins \(known)with all that is guarded locked: "
                        + problem,
                    ["problem": problem])
            }
            return ServeCluster(member, file, kept.state, settings)
        } catch {
            throw CommandFailure(
                "--cluster: \(error.message)", advice: "Mend that, or leave --cluster away; see docs/cluster.md.")
        }
    }

    private init(_ member: ClusterMember, _ file: ClusterFile, _ kept: ClusterState?, _ settings: ServeSettings) {
        (self.member, self.file, announcer) = (member, file, settings.announcer)
        state = member.condition.isAway ? kept : member.first?.state
        note =
            settings.cluster.hasField
            ? ResponseNote(ProxyFollower.field, ProxyFollower.value(member.settings.node, member.condition)) : nil
    }

    /// The profile that is active first.
    func active(_ library: ProfileLibrary, _ wanted: String?, else chosen: String) -> String {
        guard let state, library[state.active] != nil else { return chosen }
        if let wanted, wanted != state.active {
            announcer.tell(
                .cluster,
                "profile \(state.active) is active in the cluster, so that --profile \(wanted) does not count",
                ["profile": state.active])
        }
        return state.active
    }

    /// Lets the proxy begin with what is shared.
    func prepare(_ configuration: inout Proxy.Configuration) {
        configuration.note = note
        configuration.attachments = Attachments(node: member.settings.node)
        guard let state else { return }
        configuration.mocks = Mocks(restoring: state.mockSwitches)
        configuration.devices.replace(with: state.deviceList, choices: state.choices)
    }

    /// Follows the state from now on.
    func begin(_ proxy: Proxy, _ settings: ServeSettings, _ project: Project) async throws {
        let more = (project.origins?.files ?? []).flatMap { [$0.name, $0.text] } + (project.settings?.texts ?? [])
        let users = Users(profilesDirectory: project.profilesDirectory)
        let follower = ProxyFollower(proxy, member.settings, file, users: users, note: note, more: more) {
            [announcer, locks = proxy.locks] in announcer.tell($0, locks)
        }
        let urls = ListenAddress.urls(settings.hosts, port: proxy.addresses.first?.port ?? settings.port)
        do throws(SystemError) {
            try await member.begin(follower, address: urls.first ?? "", version: Tool.version)
        } catch {
            throw CommandFailure(ProxyError.system(error), option: "--cluster")
        }
        let condition = member.condition
        guard !condition.isAway else { return }
        announcer.tell(
            .cluster,
            "node \(member.settings.node) of cluster \(member.settings.group), revision \(condition.revision)",
            ["node": member.settings.node, "group": member.settings.group, "revision": condition.revision])
    }

    func stop() async { await member.stop() }
}

extension Announcer {
    /// - Parameter locks: those whose ends are told of.
    func tell(_ event: ClusterEvent, _ locks: Locks) {
        switch event {
        case .used(let old, let new, let node):
            tell(
                .using, "profile \(new) is active now, before it was \(old) (by node \(node))",
                ["profile": new, "previous": old, "node": node])
        case .lacking(let profile, let active, let node):
            warn(
                .cluster,
                "node \(node) made profile \(profile) active, which is not here: \(active) stays active until "
                    + "the profiles have it",
                ["profile": profile, "active": active, "node": node])
        case .unlocked(let entry, let node): tellUnlocked(entry, locks, by: node)
        case .locked(let entry, let node): tellLocked(entry, "by node \(node)")
        case .device(let event): tell(event)
        case .mocks(let node): tell(.mocks, "mocks are switched by node \(node)", ["node": node])
        case .networks(let node):
            tell(.network, "the networks of clients are chosen by node \(node)", ["node": node])
        case .lost(let problem):
            warn(
                .cluster,
                "the database of the cluster is away; the last known state applies, and no change is possible but "
                    + "`shunt lock`: \(problem)",
                ["problem": problem])
        case .back(let seconds):
            warn(.cluster, "the database of the cluster is back after \(Words.span(seconds))", ["seconds": seconds])
        case .cannotKeep(let failure):
            warn(
                .cluster, "the state of the cluster cannot be written for a restart without its database: \(failure)",
                ["message": "\(failure)"])
        }
    }
}
