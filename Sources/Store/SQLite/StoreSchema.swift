/// The tables of a store, of which there is one version.
enum StoreSchema {
    /// `SHNT`, in the file's header.
    private static let application: Int64 = 0x5348_4E54
    /// In the file's header, too; a change of the tables needs another number, and no release had one below.
    static let version: Int64 = 14

    /// The tables of an empty store.
    ///
    /// Heads, bodies and messages are in rows of `frame`, see ``Frame``: `first` to `last` begin in it. Where an exchange
    /// goes on later, `entry` says in which frame, at which place among its sections, with which
    /// ``FrameSection/Kinds``, from which message on and with how many.
    ///
    /// Facts that many exchanges share are rows of `context`, each for those of one transaction. The number of such a
    /// row is that of the first exchange with it, and `last` is at least that of the last one. An exchange that was
    /// changed later has a row of its own, whose number is its own negated.
    ///
    /// `certificate` has each chain of certificates once, with the first exchange that it was written with; it goes with
    /// the last context that names it.
    private static let tables = """
        CREATE TABLE exchange(\(ExchangeColumns.list.map { definition(of: $0) }.joined(separator: ", ")));
        CREATE INDEX exchange_host ON exchange(host, id, status);
        CREATE INDEX exchange_status ON exchange(status, id, host);
        CREATE INDEX exchange_started ON exchange(started_us);
        CREATE INDEX exchange_running ON exchange(id) WHERE ended = 0;
        CREATE TABLE context(context INTEGER PRIMARY KEY, last INTEGER, \(ContextColumns.definitions));
        CREATE INDEX context_last ON context(last);
        CREATE INDEX context_chain ON context(chain) WHERE chain IS NOT NULL;
        CREATE TABLE certificate(
            exchange INTEGER, chain TEXT, number INTEGER, subject TEXT, issuer TEXT, not_after TEXT, public_key TEXT,
            PRIMARY KEY(chain, number)) WITHOUT ROWID;
        CREATE TABLE frame(number INTEGER PRIMARY KEY, first INTEGER, last INTEGER, directory BLOB, bytes BLOB);
        CREATE INDEX frame_first ON frame(first);
        CREATE TABLE entry(
            exchange INTEGER, frame INTEGER, place INTEGER, kinds INTEGER, message INTEGER, messages INTEGER,
            PRIMARY KEY(exchange, message, frame, place)) WITHOUT ROWID;
        CREATE INDEX entry_frame ON entry(frame);
        CREATE TABLE meta(key TEXT PRIMARY KEY, value);
        """

    private static func definition(of column: ExchangeColumns.Column) -> String {
        switch column.kind {
        // The number of a row is a column of this type alone.
        case .large where column.name == "id": "id INTEGER PRIMARY KEY"
        case .large, .medium, .small: "\(column.name) INTEGER"
        case .text: "\(column.name) TEXT"
        case .bytes: column.name
        }
    }

    /// Creates the tables in an empty file, unless another process does so at the same time.
    static func create(_ connection: SQLiteConnection) throws(StoreFailure) {
        guard try isEmpty(connection) else { return }
        try connection.transaction { () throws(StoreFailure) in
            guard try isEmpty(connection) else { return }
            try connection.run(tables)
            try connection.run("PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
        }
    }

    /// Throws if the file is not one that this can use; true if it is empty.
    static func isEmpty(_ connection: SQLiteConnection) throws(StoreFailure) -> Bool {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        if application == 0 && version == 0 && tables == 0 { return true }
        guard application == Self.application else {
            throw StoreFailure(.notAStore, path: connection.path, "a database of another program; move the file away")
        }
        guard version == Self.version else { throw .version(version, of: connection.path, known: Self.version) }
        return false
    }
}
