/// The tables, as steps from each version to the next one.
package struct StoreSchema: Sendable {
    /// Step n leads from version n to n + 1.
    package var steps: [String]

    package init(steps: [String]) { self.steps = steps }

    /// `SHNT`, in the file's header.
    private static let application: Int64 = 0x5348_4E54

    package static let current = StoreSchema(steps: [first, second, events, blocks, contexts])

    private static let first = """
        CREATE TABLE exchange(
            id INTEGER PRIMARY KEY, started_us INTEGER, ended INTEGER, client TEXT, client_port INTEGER,
            client_protocol TEXT, client_tls TEXT, method TEXT, url TEXT, scheme TEXT, host TEXT, port INTEGER,
            path TEXT, query TEXT, status INTEGER, request_type TEXT, answer_type TEXT, profile TEXT, reason TEXT,
            route TEXT, responder TEXT, origin TEXT, origin_address TEXT, origin_protocol TEXT, origin_tls TEXT,
            trust TEXT, trust_decision TEXT, retries INTEGER, total_us INTEGER, request_bytes INTEGER,
            answer_bytes INTEGER, error TEXT, error_side TEXT, error_stage TEXT, facts TEXT);
        CREATE INDEX exchange_host ON exchange(host);
        CREATE INDEX exchange_host_status ON exchange(host, status);
        CREATE INDEX exchange_status ON exchange(status, id, host);
        CREATE INDEX exchange_started ON exchange(started_us);
        CREATE INDEX exchange_running ON exchange(id) WHERE ended = 0;
        CREATE TABLE content(
            exchange INTEGER PRIMARY KEY, client_request BLOB, origin_request BLOB, origin_answer BLOB,
            client_answer BLOB, request_trailers BLOB, answer_trailers BLOB, request_body BLOB, answer_body BLOB,
            request_flags INTEGER, answer_flags INTEGER, request_kept INTEGER, answer_kept INTEGER);
        CREATE TABLE piece(
            exchange INTEGER, side INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY(exchange, side, number))
            WITHOUT ROWID;
        CREATE TABLE message(
            exchange INTEGER, number INTEGER, time_us INTEGER, sender INTEGER, kind TEXT, length INTEGER, bytes BLOB,
            PRIMARY KEY(exchange, number)) WITHOUT ROWID;
        CREATE TABLE meta(key TEXT PRIMARY KEY, value);
        """

    /// Heads in one column, in the form of ``HeadsWriter``, and one index for a host with and without a status.
    ///
    /// What is there stays as it is.
    private static let second = """
        ALTER TABLE content ADD COLUMN heads BLOB;
        DROP INDEX exchange_host_status;
        DROP INDEX exchange_host;
        CREATE INDEX exchange_host ON exchange(host, id, status);
        """

    /// What is known of server-sent events, and of messages that are not whole.
    private static let events = """
        ALTER TABLE message ADD COLUMN flags INTEGER;
        ALTER TABLE message ADD COLUMN event TEXT;
        ALTER TABLE message ADD COLUMN event_id TEXT;
        """

    /// Content of many exchanges in one row, each of them at its place among those from `first` to `last`.
    ///
    /// What lasts still has a row of its own in `content`.
    private static let blocks = """
        CREATE TABLE block(first INTEGER PRIMARY KEY, last INTEGER, places BLOB, bytes BLOB);
        """

    /// What many exchanges have in common in rows of its own, each for those of one transaction.
    ///
    /// The number of such a row is that of the first exchange that has it, and `last` no less than that of the last one.
    /// An exchange that was changed later has one for itself, under its own number with a minus.
    private static let contexts = """
        CREATE TABLE context(
            context INTEGER PRIMARY KEY, last INTEGER, \(ContextColumns.definitions));
        INSERT INTO context SELECT min(id), max(id), \(ContextColumns.list) FROM exchange GROUP BY \(ContextColumns.list);
        CREATE INDEX context_all ON context(\(ContextColumns.list));
        ALTER TABLE exchange RENAME TO earlier;
        CREATE TABLE exchange(
            id INTEGER PRIMARY KEY, context INTEGER, started_us INTEGER, ended INTEGER, client_port INTEGER, url TEXT,
            host TEXT, status INTEGER, retries INTEGER, total_us INTEGER, request_bytes INTEGER, answer_bytes INTEGER,
            facts, error TEXT, error_side TEXT, error_stage TEXT);
        INSERT INTO exchange SELECT id,
            (SELECT context FROM context WHERE \(ContextColumns.isSame(as: "earlier"))),
            started_us, ended, client_port, url, host, status, retries, total_us, request_bytes, answer_bytes, facts,
            error, error_side, error_stage FROM earlier;
        DROP INDEX context_all;
        CREATE INDEX context_last ON context(last);
        DROP TABLE earlier;
        CREATE INDEX exchange_host ON exchange(host, id, status);
        CREATE INDEX exchange_status ON exchange(status, id, host);
        CREATE INDEX exchange_started ON exchange(started_us);
        CREATE INDEX exchange_running ON exchange(id) WHERE ended = 0;
        """

    /// Brings a file up to date, whatever part of that another process does at the same time.
    func migrate(_ connection: SQLiteConnection) throws(StoreFailure) {
        guard try isOutdated(connection) else { return }
        try connection.transaction { () throws(StoreFailure) in
            let version = Int(clamping: try connection.integer("PRAGMA user_version") ?? 0)
            for step in steps.dropFirst(version) { try connection.run(step) }
            try connection.run("PRAGMA application_id = \(Self.application); PRAGMA user_version = \(steps.count)")
        }
    }

    /// Throws if the file is not one that this can use; true if steps are left to do.
    func isOutdated(_ connection: SQLiteConnection) throws(StoreFailure) -> Bool {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        let isEmpty = application == 0 && version == 0 && tables == 0
        guard application == Self.application || isEmpty else {
            throw StoreFailure(
                .notAStore, path: connection.path, "a database of another program; move the file away")
        }
        guard version <= steps.count else {
            throw StoreFailure(
                .newer, path: connection.path,
                "written by a later Shunt (version \(version), known are up to \(steps.count)); "
                    + "use that one, or move the file away")
        }
        return version < steps.count
    }
}
