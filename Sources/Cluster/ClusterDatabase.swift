import Postgres
import Reactor

/// The tables of a cluster, on one connection; confined to the thread of its cluster.
///
/// A failure of the connection ends its use: the next attempt makes a new one.
final class ClusterDatabase {
    private let settings: ClusterSettings
    private let connection: PostgresConnection
    static let channel = "shunt_cluster"
    /// Lets the transaction of its statement reach the disk before it counts.
    private static let durably = "set_config('synchronous_commit', 'on', true)"

    private static let tables = """
        SELECT pg_advisory_xact_lock(7374882);
        CREATE SCHEMA IF NOT EXISTS shunt_cluster;
        CREATE TABLE IF NOT EXISTS shunt_cluster.state (
            group_name text PRIMARY KEY,
            revision bigint NOT NULL,
            change text NOT NULL,
            document jsonb NOT NULL,
            changed_by text NOT NULL,
            changed_at timestamptz NOT NULL DEFAULT clock_timestamp());
        CREATE TABLE IF NOT EXISTS shunt_cluster.node (
            group_name text NOT NULL,
            id text NOT NULL,
            name text NOT NULL,
            address text NOT NULL,
            version text NOT NULL,
            revision bigint NOT NULL,
            active text NOT NULL,
            digest text NOT NULL,
            unanswered bigint NOT NULL,
            started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            heartbeat timestamptz NOT NULL,
            PRIMARY KEY (group_name, id));
        """

    init(_ settings: ClusterSettings) throws(PostgresFailure) {
        self.settings = settings
        connection = try PostgresConnection(
            settings.address, name: "shunt cluster \(settings.node)",
            until: .after(milliseconds: ClusterTimes.connect))
        connection.patience = ClusterTimes.statement
        // Heartbeats need not be on the disk when they are told; a state has to be. All roles see the same tables, whatever
        // schemas there are of their names.
        try connection.run(
            """
            SET statement_timeout = \(ClusterTimes.serverStatement); SET synchronous_commit = off;
            SET search_path = pg_catalog
            """)
        // A role that may not make tables can use those that are there.
        let found = try connection.query(
            """
            SELECT to_regclass('shunt_cluster.state') IS NOT NULL AND to_regclass('shunt_cluster.node') IS NOT NULL
            """)
        if found.integer(0, 0) != 1 { try connection.run(Self.tables) }
        try connection.listen(Self.channel)
    }

    /// False once the connection was lost.
    var isUsable: Bool { connection.isUsable }

    /// What was read: nothing, that the state is as it was, or another one.
    enum Reading {
        case none
        case same(databaseNow: Int64, asked: Instant)
        case other(ClusterSnapshot)
        case unreadable(String)
    }

    /// - Parameter known: the change that is known; its document is not sent again.
    func read(known: String?) throws(PostgresFailure) -> Reading {
        let asked = Instant.now()
        let rows = try connection.query(
            """
            SELECT revision, change, CASE WHEN change = $2::text THEN NULL ELSE document::text END, changed_by,
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            FROM shunt_cluster.state WHERE group_name = $1::text
            """, [.text(settings.group), known.map(PostgresValue.text) ?? .null])
        guard rows.count == 1, let revision = rows.integer(0, 0), let change = rows.text(0, 1),
            let now = rows.integer(0, 4)
        else { return .none }
        guard ClusterState.revisions.contains(revision) else {
            return .unreadable("its revision is \(revision), which no cluster reaches")
        }
        guard let document = rows.bytes(0, 2) else { return .same(databaseNow: now, asked: asked) }
        do throws(ClusterRefusal) {
            return .other(
                ClusterSnapshot(
                    revision: revision, change: change, state: try ClusterState(json: document),
                    node: (rows.text(0, 3) ?? "").shown, databaseNow: now, asked: asked))
        } catch {
            return .unreadable(error.message)
        }
    }

    /// Writes a state in place of the one that was read, and tells all nodes; nil if another node was first.
    func write(
        _ state: ClusterState, over old: ClusterSnapshot
    ) throws(PostgresFailure) -> ClusterSnapshot? {
        let change = ClusterState.randomText()
        let rows = try connection.query(
            """
            WITH changed AS (
                UPDATE shunt_cluster.state SET revision = revision + 1, change = $3::text, document = $4::text::jsonb,
                    changed_by = $5::text, changed_at = clock_timestamp()
                WHERE group_name = $1::text AND change = $2::text RETURNING revision)
            SELECT revision, pg_notify('\(Self.channel)', $1::text), \(Self.durably) FROM changed
            """,
            [
                .text(settings.group), .text(old.change), .text(change),
                .text(String(decoding: state.json, as: UTF8.self)), .text(settings.node),
            ])
        guard rows.count == 1, let revision = rows.integer(0, 0) else { return nil }
        return ClusterSnapshot(
            revision: revision, change: change, state: state, node: settings.node, databaseNow: old.databaseNow,
            asked: old.asked)
    }

    /// Gives a group without a state its first one.
    func seed(_ state: ClusterState) throws(PostgresFailure) {
        try connection.query(
            """
            WITH added AS (
                INSERT INTO shunt_cluster.state (group_name, revision, change, document, changed_by)
                VALUES ($1::text, 1, $2::text, $3::text::jsonb, $4::text) ON CONFLICT DO NOTHING RETURNING revision)
            SELECT revision, pg_notify('\(Self.channel)', $1::text), \(Self.durably) FROM added
            """,
            [
                .text(settings.group), .text(ClusterState.randomText()),
                .text(String(decoding: state.json, as: UTF8.self)), .text(settings.node),
            ])
    }

    /// Waits until the state may have changed; returns early when `waker` is woken.
    func waitForChange(milliseconds: Int, _ waker: ClusterWaker) throws(PostgresFailure) -> Bool {
        let found = try connection.notifications(until: .after(milliseconds: milliseconds), waker: waker.reading)
        return found.contains { $0.payload == settings.group }
    }
}

// The nodes.
extension ClusterDatabase {
    /// Tells that this node is there, and what it has taken over.
    func tell(_ own: ClusterNode) throws(PostgresFailure) {
        try connection.query(
            """
            INSERT INTO shunt_cluster.node
                (group_name, id, name, address, version, revision, active, digest, unanswered, heartbeat)
            VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::text, $8::text, $9::bigint,
                clock_timestamp())
            ON CONFLICT (group_name, id) DO UPDATE SET address = EXCLUDED.address, version = EXCLUDED.version,
                revision = EXCLUDED.revision, active = EXCLUDED.active, digest = EXCLUDED.digest,
                unanswered = EXCLUDED.unanswered, heartbeat = EXCLUDED.heartbeat
            """,
            [
                .text(settings.group), .text(own.id), .text(own.name), .text(own.address), .text(own.version),
                .integer(own.revision), .text(own.active), .text(own.digest), .integer(Int64(own.unanswered)),
            ])
    }

    /// Removes those that were silent for long, that have never begun, and an earlier run of this node.
    ///
    /// Another node that has the same name by mistake goes on telling, and stays.
    func removeDead(besides own: ClusterNode) throws(PostgresFailure) {
        try connection.query(
            """
            DELETE FROM shunt_cluster.node WHERE group_name = $1::text AND id <> $2::text
                AND (heartbeat > clock_timestamp() + interval '1 minute'
                    OR heartbeat < clock_timestamp() - interval '1 millisecond' * CASE
                    WHEN name = $3::text AND address IN ('', $4::text) THEN \(ClusterTimes.silence)
                    WHEN revision = 0 THEN \(ClusterTimes.start)
                    ELSE \(ClusterTimes.forgotten) END)
            """, [.text(settings.group), .text(own.id), .text(own.name), .text(own.address)])
    }

    func leave(_ id: String) throws(PostgresFailure) {
        try connection.query(
            "DELETE FROM shunt_cluster.node WHERE group_name = $1::text AND id = $2::text",
            [.text(settings.group), .text(id)], until: .after(milliseconds: 500))
    }

    /// All nodes, and what they are to have taken over by now.
    func roster() throws(PostgresFailure) -> ClusterRoster {
        let rows = try connection.query(
            """
            SELECT node.id, name, address, version, node.revision, active, digest,
                CASE WHEN isfinite(heartbeat)
                    THEN least(extract(epoch FROM clock_timestamp() - heartbeat) * 1000, 1e15)::bigint
                    ELSE 1000000000000000 END, state.revision,
                state.document->>'active', unanswered
            FROM shunt_cluster.node node LEFT JOIN shunt_cluster.state state USING (group_name)
            WHERE group_name = $1::text ORDER BY name, node.id LIMIT 5000
            """, [.text(settings.group)])
        let nodes = (0..<rows.count).map { row in
            func text(_ column: Int) -> String { (rows.text(row, column) ?? "").shown }
            return ClusterNode(
                id: text(0), name: text(1), address: text(2), version: text(3), revision: rows.integer(row, 4) ?? 0,
                active: text(5), digest: text(6), unanswered: Int(clamping: rows.integer(row, 10) ?? 0),
                silence: max(0, rows.integer(row, 7) ?? 0))
        }
        guard rows.count > 0 else { return ClusterRoster(nodes: [], revision: 0, active: "") }
        return ClusterRoster(nodes: nodes, revision: rows.integer(0, 8) ?? 0, active: rows.text(0, 9) ?? "")
    }
}
