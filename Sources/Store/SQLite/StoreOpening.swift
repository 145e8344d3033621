/// An opened store, for the recorder.
struct OpenedStore {
    let connection: SQLiteConnection
    let lease: StoreLease?
    /// 32 bytes.
    let key: [UInt8]

    init(path: String) throws(StoreFailure) {
        guard !SQLiteConnection.isMemory(path) else {
            (connection, lease) = (try Self.memory(path), nil)
            key = try Self.key(connection)
            return
        }
        try StoreFiles.prepare(path)
        let connection = try SQLiteConnection(path: path, isReadOnly: false)
        // Before any change, since it may be another program's file.
        _ = try StoreSchema.isEmpty(connection)
        try connection.run(Self.settings)
        try StoreSchema.create(connection)
        key = try Self.key(connection)
        self.connection = connection
        lease = try StoreLease(path) { () throws(StoreFailure) in try connection.run(Self.breakOff) }
    }

    /// A database in memory, of which nothing goes to a disk.
    private static func memory(_ path: String) throws(StoreFailure) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isReadOnly: false)
        try connection.run(
            "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA temp_store = MEMORY; "
                + "PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -8192")
        try StoreSchema.create(connection)
        return connection
    }

    /// An empty one that only this connection has.
    static func empty(_ path: String) throws(StoreFailure) -> SQLiteConnection { try memory(":memory:") }

    private static let settings = """
        PRAGMA page_size = 16384;
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA mmap_size = 0;
        PRAGMA cache_size = -8192;
        PRAGMA wal_autocheckpoint = 1000;
        PRAGMA journal_size_limit = 33554432;
        """

    /// The process that wrote these exchanges has ended.
    private static let breakOff = """
        UPDATE exchange SET ended = 1, error = coalesce(error, 'broken off: Shunt ended while it ran'),
            error_side = coalesce(error_side, 'proxy'), error_stage = coalesce(error_stage, 'record')
            WHERE ended = 0
        """

    private static func key(_ connection: SQLiteConnection) throws(StoreFailure) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let fresh = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        let insert = try connection.prepare("INSERT OR IGNORE INTO meta VALUES ('redaction_key', ?)")
        try insert.bind(0, .bytes(fresh))
        let select = try connection.prepare("SELECT value FROM meta WHERE key = 'redaction_key'")
        defer { select.reset() }
        if try select.step(), let key = select.bytes(0) { return key }
        try insert.run()
        select.reset()
        guard try select.step(), let key = select.bytes(0) else {
            throw StoreFailure(.damaged, path: connection.path, "the store has no key")
        }
        return key
    }
}
