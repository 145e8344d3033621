import Cluster
import Engine
import Reactor
import Synchronization

// Changes that reach all nodes of a cluster, and which have taken them over.
extension AdminHandler {
    /// Milliseconds that a command waits for the nodes if it does not say how long: those that are well need a tenth.
    private static let usualWait = 1_000
    /// Seconds that it may wait.
    private static let waits = 1...60

    var changes: Changes { Changes(proxy: proxy, cluster: facts.cluster) }

    /// How long a request waits for the nodes of a cluster.
    struct Patience {
        var milliseconds = usualWait
        /// Nodes that are silent are waited for as well, and requests that began before.
        var isForAll = false
        /// One of the few that there are, until it is released.
        var place: WaitingRooms.Place?
    }

    func patience(_ waits: Bool?, _ seconds: Int?) throws -> Patience {
        guard waits ?? false else {
            guard seconds == nil else {
                throw AdminRefusal(400, "there is “waitSeconds” without “wait”", advice: "Send both, or neither.")
            }
            guard let place = rooms.enter() else { return Patience(milliseconds: 0) }
            return Patience(place: place)
        }
        let seconds = seconds ?? 10
        guard Self.waits.contains(seconds) else {
            throw AdminRefusal(
                400, "nothing is waited for for \(seconds) s",
                advice: "Give a time from \(Self.waits.lowerBound) s to \(Self.waits.upperBound) s.")
        }
        guard let place = rooms.enter() else {
            throw AdminRefusal.busy("\(WaitingRooms.count) requests wait for changes to be taken over already")
        }
        return Patience(milliseconds: seconds * 1000, isForAll: true, place: place)
    }

    /// Which nodes have taken a change over; nil without a cluster.
    /// - Parameter active: the profile that has to be active there; nil for any.
    func takeover(_ snapshot: ClusterSnapshot?, active: String? = nil, _ patience: Patience) async -> ClusterTakeover? {
        guard let snapshot, let cluster = facts.cluster else { return nil }
        defer { withExtendedLifetime(patience) {} }
        return await cluster.takeover(
            of: snapshot.revision, active: active, milliseconds: patience.milliseconds, forAll: patience.isForAll)
    }

    /// Waits on this proxy alone until no request is answered by what was before.
    /// - Returns: how many still are; nil in a cluster, or if there was no wish to wait.
    func unanswered(_ snapshot: ClusterSnapshot?, _ patience: Patience) async -> Int? {
        guard snapshot == nil, patience.isForAll else { return nil }
        defer { withExtendedLifetime(patience) {} }
        let end = Instant.now().after(UInt64(patience.milliseconds) * 1_000_000)
        while true {
            let count = await proxy.settle()
            if count == 0 || Instant.now() >= end { return count }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    func showCluster() async throws -> Record<API.Cluster> {
        guard let cluster = facts.cluster else {
            throw AdminRefusal(
                404, "this Shunt belongs to no cluster", advice: "Start it with --cluster, see docs/cluster.md.")
        }
        return await Record(cluster)
    }
}

/// Lets few requests wait at a time, so that others, such as one that locks production, find a connection.
package final class WaitingRooms: Sendable {
    package static let count = 8
    private let taken = Atomic<Int>(0)

    package init() {}

    /// It is free again when it is released.
    package final class Place: Sendable {
        private let rooms: WaitingRooms

        fileprivate init(_ rooms: WaitingRooms) { self.rooms = rooms }

        deinit { rooms.taken.subtract(1, ordering: .relaxed) }
    }

    /// nil if there is none.
    package func enter() -> Place? {
        guard taken.add(1, ordering: .relaxed).newValue <= Self.count else {
            taken.subtract(1, ordering: .relaxed)
            return nil
        }
        return Place(self)
    }
}

extension Record<API.Takeover> {
    /// nil without a cluster.
    init?(_ takeover: ClusterTakeover?, of snapshot: ClusterSnapshot?) {
        guard let snapshot else { return nil }
        self.init {
            $0.revision = Int(clamping: snapshot.revision)
            // False where the database was lost after the change: which nodes have it is not known.
            $0.isKnown = takeover != nil
            $0.isComplete = takeover?.isComplete ?? false
            $0.done = takeover?.done ?? 0
            $0.nodes = (takeover?.nodes ?? []).map { node, progress in
                Record<API.NodeProgress> {
                    $0.name = node.name
                    $0.progress = progress.rawValue
                    $0.active = node.active
                    $0.unanswered = Int(clamping: node.unanswered)
                    $0.silence = Int(clamping: node.silence / 1000)
                }
            }
        }
    }
}

extension Record<API.Cluster> {
    init(_ cluster: ClusterMember) async {
        let (condition, nodes) = (cluster.condition, await cluster.nodes() ?? [])
        self.init {
            $0.group = cluster.settings.group
            $0.node = cluster.settings.node
            $0.database = cluster.settings.database
            $0.revision = Int(clamping: condition.revision)
            $0.problem = condition.problem
            $0.lostAt = condition.lostAt.map { Int($0) }
            $0.waitingLocks = condition.waitingLocks
            $0.nodes = nodes.map { node in
                Record<API.ClusterNode> {
                    $0.name = node.name
                    $0.address = node.address
                    $0.version = node.version
                    $0.revision = Int(clamping: node.revision)
                    $0.active = node.active
                    $0.digest = node.digest
                    $0.silence = Int(clamping: node.silence / 1000)
                    $0.isSilent = node.isSilent
                    $0.isSelf = node.id == cluster.id
                }
            }
        }
    }
}
