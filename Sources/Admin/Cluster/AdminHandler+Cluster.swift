import Cluster
import Engine
import JSON
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

    func patience(_ body: AdminBody) throws(AdminRefusal) -> Patience {
        let example = "{\"profile\": \"NAME\", \"wait\": true, \"waitSeconds\": 10}"
        guard try body.flag("wait", example: example) else {
            guard body.value?["waitSeconds"] == nil else {
                throw AdminRefusal(400, "there is “waitSeconds” without “wait”", advice: "Send both, or neither.")
            }
            guard let place = rooms.enter() else { return Patience(milliseconds: 0) }
            return Patience(place: place)
        }
        let seconds = try body.optionalInteger("waitSeconds", example: example) ?? 10
        guard Self.waits.contains(seconds) else {
            throw AdminRefusal(
                400, "nothing is waited for for \(seconds) s",
                advice: "Give a time from \(Self.waits.lowerBound) s to \(Self.waits.upperBound) s.")
        }
        guard let place = rooms.enter() else {
            throw .busy("\(WaitingRooms.count) requests wait for changes to be taken over already")
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

    func showCluster() async throws(AdminRefusal) -> HandledResponse {
        guard let cluster = facts.cluster else {
            throw AdminRefusal(
                404, "this Shunt belongs to no cluster", advice: "Start it with --cluster, see docs/cluster.md.")
        }
        let figures = await ClusterFigures(cluster)
        return .json(200) { figures.write(&$0) }
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

extension JSONWriter {
    /// The member `cluster` of a response to a change; nothing without a cluster.
    mutating func member(_ takeover: ClusterTakeover?, of snapshot: ClusterSnapshot?) {
        guard let snapshot else { return }
        key("cluster")
        object { object in
            object.member("revision", snapshot.revision)
            // False where the database was lost after the change: which nodes have it is not known.
            object.member("known", takeover != nil)
            object.member("complete", takeover?.isComplete ?? false)
            object.member("done", takeover?.done ?? 0)
            object.array("nodes") { array in
                for (node, progress) in takeover?.nodes ?? [] {
                    array.object { object in
                        object.member("name", node.name)
                        object.member("progress", progress.rawValue)
                        object.member("active", node.active)
                        object.member("unanswered", node.unanswered)
                        object.member("silence", node.silence / 1000)
                    }
                }
            }
        }
    }
}
