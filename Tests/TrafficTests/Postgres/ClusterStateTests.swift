import Cluster
import Reactor
import Testing

/// The state of a cluster as a value.
@Suite struct ClusterStateTests {
    private static let second: Instant = 1_000_000_000

    private func moment(_ revision: Int64, asked: Int64? = nil, now: Int64 = 1_000_000) -> ClusterMoment {
        ClusterMoment(revision: revision, asked: asked ?? revision, databaseNow: now, node: "a")
    }

    private func snapshot(_ state: ClusterState, databaseNow: Int64, asked: Instant) -> ClusterSnapshot {
        ClusterSnapshot(
            revision: 1, change: "x", state: state, node: "a", databaseNow: databaseNow, asked: asked)
    }

    private func full() throws -> ClusterState {
        var state = ClusterState(active: "staging")
        try state.unlock("production", seconds: 600, reason: "refund “4711”", at: moment(3))
        state.lock("shop", at: moment(4))
        state.devices = [
            ClusterDevice(name: "iPhone", address: "192.168.1.7", token: "ab12", profile: nil, lastSeen: 7),
            ClusterDevice(name: "nightly", address: nil, token: "cd34", profile: "local", user: "ada", lastSeen: 8),
        ]
        state.choices = ["ada": "staging"]
        state.mocks = [
            ClusterMock(profile: "local", name: "promo", device: nil, isOn: false),
            ClusterMock(profile: "local", name: "promo", device: "iPhone", isOn: true),
        ]
        state.choose(network: "lte", for: nil, seconds: nil, at: moment(4))
        state.choose(network: nil, for: "iPhone", seconds: 60, at: moment(4))
        return state
    }

    @Test func `a state is the same after it was written and read`() throws {
        let state = try full()
        #expect(try ClusterState(json: state.json) == state)
        #expect(try ClusterState(json: ClusterState(active: "").json) == ClusterState(active: ""))
    }

    /// A document as another program could leave it in the database.
    @Test(arguments: [
        ("", "no JSON"),
        ("[]", "no version"),
        (#"{"version": 2, "active": "a"}"#, "version 2"),
        (#"{"version": 1}"#, "no active profile"),
        (#"{"version": 1, "active": "a"}"#, "unlocked"),
        (Self.document(unlocked: #"{"profile": "p"}"#), "unlocked"),
        (Self.document(unlocked: Self.unlock(seconds: "0")), "unlocked"),
        (Self.document(unlocked: Self.unlock(seconds: "86401")), "unlocked"),
        (Self.document(unlocked: Self.unlock(until: "9223372036854775807")), "unlocked"),
        (Self.document(unlocked: Self.unlock(until: "-1")), "unlocked"),
        (Self.document(unlocked: Self.unlock() + "," + Self.unlock()), "twice"),
        (Self.document(networks: #"{"network": "lte", "seconds": 5}"#), "networks"),
        (Self.document(networks: "{}"), "networks"),
        (Self.document(locked: #""p": "x""#), "locked"),
        (Self.document(locked: #""p": -1"#), "locked"),
        (Self.document(users: #""ada": 1"#), "users"),
        (Self.document(users: #""ada": "\u001b[2J""#), "users"),
        (Self.document(unlocked: Self.unlock(id: #"\u009b2J"#)), "unlocked"),
        (#"{"version": 1, "active": "a", "unlocked": [], "devices": []}"#, "users"),
        (String(repeating: " ", count: 1 << 20) + "{}", "KiB"),
    ])
    func `a document that is wrong is refused as a whole`(text: String, why: String) {
        let refusal = #expect(throws: ClusterRefusal.self) { try ClusterState(json: Array(text.utf8)) }
        #expect(refusal?.message.contains(why) == true, "\(String(describing: refusal))")
    }

    private static func unlock(id: String = "1", seconds: String = "60", until: String = "1000") -> String {
        #"{"id": "\#(id)", "profile": "p", "reason": "r", "seconds": \#(seconds), "until": \#(until)}"#
    }

    private static func document(
        unlocked: String = "", networks: String = "", locked: String = "", users: String = ""
    ) -> String {
        """
        {"version": 1, "active": "a", "unlocked": [\(unlocked)], "locked": {\(locked)}, "devices": [],
         "users": {\(users)}, "mocks": [], "networks": [\(networks)]}
        """
    }

    @Test func `a lock beats an unlocking that did not know of it`() throws {
        var state = ClusterState(active: "local")
        // Revision 5 is locked by another node while an unlocking, asked for at revision 5, is on its way.
        state.lock("production", at: moment(5))
        #expect(throws: ClusterRefusal.lockedMeanwhile("production")) {
            try state.unlock("production", seconds: 60, reason: "r", at: moment(6, asked: 5))
        }
        #expect(state.unlocked.isEmpty)
        // A node that knows of the lock may unlock.
        try state.unlock("production", seconds: 60, reason: "r", at: moment(6, asked: 6))
        #expect(state.unlocked.map(\.profile) == ["production"])
        // A lock of another profile is not in the way.
        state.lock("shop", at: moment(7))
        try state.unlock("production", seconds: 60, reason: "again", at: moment(8, asked: 6))
        #expect(state.unlocked.map(\.reason) == ["again"])
    }

    @Test func `a lock also counts where nothing is unlocked`() {
        var state = ClusterState(active: "local")
        let before = state
        state.lock("production", at: moment(1))
        #expect(state != before && state.locked["production"] == 2)
    }

    /// What the wall clocks of nodes say is no part of the arithmetic: a node that is minutes off has the same end.
    @Test(arguments: [
        // The database's clock when the node asks, after it was unlocked at 1 000 s for 600 s; what is left in seconds.
        (1_000_000, 600), (1_300_000, 300), (1_599_000, 1), (1_600_000, 0), (9_999_999, 0),
        // The database's clock was set back: never longer than what was asked for.
        (0, 600), (-5_000_000, 600),
    ])
    func `a node counts the time left from its own question, and never more than was asked for`(
        databaseNow: Int64, left: UInt64
    ) throws {
        let state = try full()
        for asked in [Instant(0), 77 * Self.second, 1 << 60] {
            let end = snapshot(state, databaseNow: databaseNow, asked: asked)
                .end(state.unlocked[0].until, atMost: state.unlocked[0].seconds)
            #expect(end == asked + left * Self.second)
        }
    }

    @Test func `times that are out of the range of a sum end at once`() {
        let state = ClusterState(active: "local")
        #expect(snapshot(state, databaseNow: .max, asked: 5).end(.min, atMost: 60) == 5)
        #expect(snapshot(state, databaseNow: .min, asked: 5).end(.max, atMost: 60) == 5)
        #expect(snapshot(state, databaseNow: 0, asked: 5).end(1000, atMost: -1) == 5)
    }

    @Test func `a node that cannot ask begins locked, and without what ends`() throws {
        let state = try full().withoutEnds
        #expect(state.unlocked.isEmpty && state.active == "staging" && state.mocks.count == 2)
        // Revisions begin anew with a new database: a lock of the old one must not refuse unlockings there.
        #expect(state.locked.isEmpty)
        #expect(state.networks.map(\.network) == ["lte"])
    }

    @Test func `choices of networks replace each other for each device`() {
        var state = ClusterState(active: "local")
        state.choose(network: "lte", for: nil, seconds: nil, at: moment(1))
        state.choose(network: "metro", for: "iPhone", seconds: 5, at: moment(1))
        state.choose(network: nil, for: nil, seconds: nil, at: moment(1))
        #expect(state.networks.map(\.network) == [nil, "metro"] && state.networks[1].until == 1_005_000)
        #expect(state.forgetNetwork(of: "iPhone") && !state.forgetNetwork(of: "iPhone"))
    }

    @Test func `a takeover tells nodes that are late from those that are silent or lack the profile`() {
        func node(_ name: String, _ revision: Int64, _ active: String, _ silence: Int64 = 0) -> ClusterNode {
            ClusterNode(
                id: name, name: name, address: "", version: "", revision: revision, active: active, digest: "",
                silence: silence)
        }
        let nodes = [
            node("done", 7, "staging"), node("later", 9, "staging"), node("late", 6, "local"),
            node("silent", 6, "local", 60_000), node("lacks", 9, "local"), node("between", 8, "local"),
        ]
        func takeover(_ nodes: [ClusterNode], _ active: String?, latest: String = "staging") -> ClusterTakeover {
            ClusterTakeover(nodes, revision: 7, active: active, latest: (9, latest))
        }
        let all = takeover(nodes, "staging")
        #expect(all.nodes.map(\.progress) == [.done, .done, .behind, .silent, .lacking, .behind])
        #expect(all.done == 2 && !all.isComplete)
        // Whichever profile is active, where something else was changed.
        #expect(takeover(nodes, nil).done == 4)
        #expect(takeover(Array(nodes.prefix(2)), "staging").isComplete)
        // Another one was made active after it.
        #expect(
            takeover([nodes[0], nodes[4]], "staging", latest: "local").nodes.map(\.progress) == [.done, .overtaken])
    }

    @Test(arguments: [
        ("default", true), ("ci-2_a", true), ("", false), ("a/b", false), ("..", false), ("ä", false),
        (String(repeating: "a", count: 33), false),
    ])
    func `the name of a group is good in the name of a file`(text: String, isGood: Bool) {
        #expect(ClusterSettings.isGroup(text) == isGood)
    }
}
