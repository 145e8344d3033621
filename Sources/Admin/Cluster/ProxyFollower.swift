public import Cluster
import Dispatch
public import Engine
public import Platform
import Profiles
import Reactor
import Synchronization

/// What happens to a node by its cluster, for the log.
public enum ClusterEvent: Sendable {
    case used(old: String, new: String, node: String)
    /// This node has no profile of that name, and keeps its own.
    case lacking(profile: String, active: String, node: String)
    case unlocked(Unlocking, node: String)
    case locked(Unlocking, node: String)
    case device(DeviceEvent)
    case mocks(node: String)
    case networks(node: String)
    case lost(problem: String)
    case back(seconds: Int)
    case cannotKeep(FileFailure)
}

/// Makes a proxy do what the state of its cluster says; its methods are called on the cluster's thread.
public final class ProxyFollower: ClusterFollower {
    private struct State {
        /// By the identity of an unlocking, its end by this machine's clock: it moves towards the present alone.
        var ends: [String: Instant] = [:]
        var unlocked: [Unlocking] = []
        var networks: [ClusterNetwork] = []
        var lacking: String?
        var last: ClusterState?
        var digest: (library: ProfileLibrary, text: String)?
        var unanswered = 0
    }

    private let proxy: Proxy
    private let file: ClusterFile
    private let node: String
    private let users: Users?
    private let note: ResponseNote?
    private let more: [String]
    private let tell: @Sendable (ClusterEvent) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "cluster file")

    /// - Parameters:
    ///   - users: those whose devices count here; nil for all.
    ///   - note: the field that tells clients of the cluster; nil for none.
    ///   - more: what ``ProfilesDigest`` counts beside files.
    public init(
        _ proxy: Proxy, _ settings: ClusterSettings, _ file: ClusterFile, users: Users?, note: ResponseNote?,
        more: [String] = [], tell: @escaping @Sendable (ClusterEvent) -> Void
    ) {
        self.users = users
        (self.proxy, self.file, self.note, self.more) = (proxy, file, note, more)
        (node, self.tell) = (settings.node, tell)
    }

    /// The field of responses that tells of the cluster.
    public static let field = "Shunt-Cluster"

    public func seed() -> ClusterState { ClusterState(proxy) }

    public func apply(_ snapshot: ClusterSnapshot) -> Bool {
        use(snapshot)
        unlock(snapshot)
        replaceDevices(snapshot)
        let switches = snapshot.state.mockSwitches
        if switches != proxy.mockSwitches {
            proxy.replaceMockSwitches(switches)
            tell(.mocks(node: snapshot.node))
        }
        if state.withLock({ $0.networks != snapshot.state.networks }) {
            state.withLock { $0.networks = snapshot.state.networks }
            proxy.networks.replace(with: snapshot.networkChoices)
            tell(.networks(node: snapshot.node))
        }
        state.withLock { $0.last = snapshot.state }
        return settle()
    }

    /// Waits for the workers; false if one does not come to it in time.
    private func settle() -> Bool {
        let isSettled = DispatchSemaphore(value: 0)
        Task { [self] in
            let unanswered = await proxy.settle()
            state.withLock { $0.unanswered = unanswered }
            isSettled.signal()
        }
        return isSettled.wait(timeout: .now() + 2) == .success
    }

    public func unanswered() -> Int {
        _ = settle()
        return state.withLock { $0.unanswered }
    }

    private func use(_ snapshot: ClusterSnapshot) {
        guard let (library, active) = proxy.profiles else { return }
        let wanted = snapshot.state.active
        guard wanted != active else { return state.withLock { $0.lacking = nil } }
        if library[wanted] != nil, (try? proxy.use(wanted)) != nil {
            state.withLock { $0.lacking = nil }
            if library[wanted]?.closesSockets == true {
                Task { [proxy] in _ = await proxy.streams(besides: wanted, ending: true) }
            }
            return tell(.used(old: active, new: wanted, node: snapshot.node))
        }
        let isNew = state.withLock { state in
            defer { state.lacking = wanted }
            return state.lacking != wanted
        }
        if isNew { tell(.lacking(profile: wanted, active: active, node: snapshot.node)) }
    }

    private func unlock(_ snapshot: ClusterSnapshot) {
        let (old, new, begun) = state.withLock { state in
            let old = state.unlocked
            var ends: [String: Instant] = [:]
            var begun: [(entry: Unlocking, node: String)] = []
            var new: [Unlocking] = []
            for entry in snapshot.state.unlocked {
                // One that no node could have been asked for counts nowhere.
                guard let reason = try? Locks.checked(entry.reason, seconds: entry.seconds, isNew: false) else {
                    continue
                }
                let end = min(state.ends[entry.id] ?? .never, snapshot.end(entry.until, atMost: entry.seconds))
                ends[entry.id] = end
                let unlocking = Unlocking(profile: entry.profile, reason: reason, seconds: entry.seconds, until: end)
                if state.ends[entry.id] == nil, end > .now() { begun.append((unlocking, entry.node)) }
                new.append(unlocking)
            }
            (state.ends, state.unlocked) = (ends, new)
            return (old, new, begun)
        }
        guard old != new else { return }
        for entry in old where !new.contains(where: { $0.profile == entry.profile }) {
            // Nothing, if it was locked here, or its time was over.
            if let locked = proxy.locks.lock(entry.profile) { tell(.locked(locked, node: snapshot.node)) }
        }
        proxy.locks.replace(with: new)
        for (entry, node) in begun { tell(.unlocked(entry, node: node)) }
    }

    private func replaceDevices(_ snapshot: ClusterSnapshot) {
        // Each node knows users by its own tokens: one that has none here has no devices here.
        let names = users?.names()
        let (old, new) = (
            proxy.devices.list,
            snapshot.state.deviceList.filter { device in device.user.map { names?.contains($0) ?? true } ?? true }
        )
        let choices = snapshot.state.choices.filter { names?.contains($0.key) ?? true }
        func key(_ device: Device) -> Device {
            Device(
                name: device.name, address: device.address, token: device.token, profile: device.profile,
                user: device.user, lastSeen: 0)
        }
        let before = Dictionary(old.map { ($0.name, key($0)) }) { $1 }
        let after = Dictionary(new.map { ($0.name, key($0)) }) { $1 }
        guard before != after || proxy.devices.choices != choices else { return }
        proxy.devices.replace(with: new, choices: choices)
        for name in before.keys.sorted() where after[name] == nil { tell(.device(.forgotten(name: name))) }
        for (name, device) in after.sorted(by: { $0.key < $1.key }) where before[name] != device {
            let isPaired = device.token != nil && before[name]?.token != device.token
            tell(.device(isPaired ? .paired(device) : .assigned(device)))
        }
    }

    public var presence: ClusterPresence {
        guard let (library, active) = proxy.profiles else {
            return ClusterPresence(active: "", digest: "", unanswered: 0)
        }
        let (known, unanswered) = state.withLock { ($0.digest, $0.unanswered) }
        if let known, known.library === library {
            return ClusterPresence(active: active, digest: known.text, unanswered: unanswered)
        }
        let text = ProfilesDigest.make(library, more)
        state.withLock { $0.digest = (library, text) }
        return ClusterPresence(active: active, digest: text, unanswered: unanswered)
    }

    public func keep(waitingLocks: [String]) {
        write(waitingLocks)
        finish()
    }

    public func changed(from old: ClusterCondition, to new: ClusterCondition) {
        note?.change(Self.field, to: Self.value(node, new))
        if old.revision != new.revision { write(new.waitingLocks) }
        switch (old.problem, new.problem) {
        case (nil, let problem?): tell(.lost(problem: problem))
        case (.some, nil):
            let now = Int64(time(nil))
            tell(.back(seconds: Int(clamping: max(0, now - (old.lostAt ?? now)))))
        default: break
        }
    }

    /// What the field says.
    public static func value(_ node: String, _ condition: ClusterCondition) -> String {
        "\(node); revision=\(condition.revision)" + (condition.isAway ? "; database=away" : "")
    }

    /// Returns when everything is written.
    public func finish() { queue.sync {} }

    /// On a thread of its own: a disk must not hold up the other nodes.
    private func write(_ waitingLocks: [String]) {
        let last = state.withLock { $0.last }
        queue.async { [file, tell] in
            do throws(FileFailure) { try file.write(last, waitingLocks: waitingLocks) } catch {
                tell(.cannotKeep(error))
            }
        }
    }
}
