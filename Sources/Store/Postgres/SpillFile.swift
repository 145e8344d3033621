import Platform

/// Batches that could not be sent, in a file of SQLite, in their order; confined to the recorder's thread.
final class SpillFile {
    struct Spilled {
        let number: Int64
        /// The numbers that its new exchanges have here.
        let first: Int64
        let count: Int64
        /// Of a transaction that may have taken effect, and the number that its first new exchange got in it.
        let attempt: (xid: String, first: Int64)?
        let bytes: [UInt8]
    }

    /// Numbers from here on are not those of the store: they are replaced when a batch is brought in.
    static let firstNumber: Int64 = 1 << 62
    /// Far more than a batch has.
    private static let maxCount: Int64 = 1 << 32

    let path: String
    /// By which the store knows what was brought in from this file.
    let name: String
    private let connection: SQLiteConnection
    private let lock: CInt
    private(set) var count: Int64
    /// The last batch that an earlier process has left; 0 if there is none.
    let inherited: Int64
    private var next: Int64

    /// Opens the file, and makes it if it is missing; one process at a time may have it.
    init(_ path: String) throws(StoreFailure) {
        self.path = path
        try StoreFiles.prepare(path)
        lock = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw StoreFailure(.cannotOpen, path: path, "its lock cannot be made: \(systemReason())")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw StoreFailure(
                .cannotOpen, path: path, "another Shunt uses this file; name another with --store-spill FILE")
        }
        do throws(StoreFailure) {
            var owner = stat()
            guard stat(path, &owner) == 0, owner.st_uid == geteuid() else {
                throw StoreFailure(.cannotOpen, path: path, "the file belongs to another user; name another one")
            }
            connection = try SQLiteConnection(path: path, isReadOnly: false)
            try Self.prepare(connection)
            let facts = try connection.prepare("SELECT name, next FROM spill")
            guard try facts.step(), let name = facts.text(0), let next = facts.integer(1) else {
                throw StoreFailure(.damaged, path: path, "not a file of spilled traffic; move it away")
            }
            facts.reset()
            (self.name, self.next) = (name, next)
            count = try connection.integer("SELECT count(*) FROM batch") ?? 0
            inherited = try connection.integer("SELECT max(number) FROM batch") ?? 0
        } catch {
            close(lock)
            throw error
        }
    }

    deinit { close(lock) }

    /// "SPLL", in the file's header.
    private static let application: Int64 = 0x5350_4C4C

    private static func prepare(_ connection: SQLiteConnection) throws(StoreFailure) {
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        let owner = try connection.integer("PRAGMA application_id")
        guard tables == 0 || owner == application else {
            throw StoreFailure(.notAStore, path: connection.path, "not a file of spilled traffic; move it away")
        }
        try connection.run("PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        guard tables == 0 else { return }
        let name = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined()
        try connection.transaction { () throws(StoreFailure) in
            try connection.run(
                """
                CREATE TABLE spill(name TEXT, next INTEGER);
                CREATE TABLE batch(
                    number INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER, count INTEGER, xid TEXT, xid_first INTEGER,
                    bytes BLOB);
                INSERT INTO spill VALUES ('\(name)', \(firstNumber));
                PRAGMA application_id = \(application)
                """)
        }
    }

    /// Adds a batch; returns the number of its first new exchange here.
    func add(_ batch: borrowing WriteBatch, attempt: (xid: String, first: Int64)?) throws(StoreFailure) -> Int64 {
        var bytes: [UInt8] = []
        batch.append(to: &bytes)
        let (first, count) = (next, batch.newCount)
        try connection.transaction { () throws(StoreFailure) in
            let insert = try connection.prepare(
                "INSERT INTO batch(first, count, xid, xid_first, bytes) VALUES (?, ?, ?, ?, ?)")
            try insert.bind(0, .integer(first))
            try insert.bind(1, .integer(count))
            if let attempt {
                try insert.bind(2, .text(attempt.xid))
                try insert.bind(3, .integer(attempt.first))
            }
            try insert.bind(4, .bytes(bytes))
            try insert.run()
            try connection.run("UPDATE spill SET next = \(first + count)")
        }
        next += count
        self.count += 1
        return first
    }

    func oldest() throws(StoreFailure) -> Spilled? {
        let select = try connection.prepare(
            "SELECT number, first, count, xid, xid_first, bytes FROM batch ORDER BY number LIMIT 1")
        defer { select.reset() }
        guard try select.step() else { return nil }
        let attempt = select.text(3).map { (xid: $0, first: select.integer(4) ?? 0) }
        let spilled = Spilled(
            number: select.integer(0) ?? 0, first: select.integer(1) ?? 0, count: select.integer(2) ?? 0,
            attempt: attempt, bytes: select.bytes(5) ?? [])
        guard (0...Self.maxCount).contains(spilled.count), spilled.first >= 0, spilled.first < .max - Self.maxCount,
            (attempt?.first ?? 0) >= 0, attempt?.first ?? 0 < .max - Self.maxCount
        else { throw StoreFailure(.damaged, path: path, "it has numbers that no Shunt has written; move it away") }
        return spilled
    }

    func remove(_ spilled: Spilled) throws(StoreFailure) {
        try connection.run("DELETE FROM batch WHERE number = \(spilled.number)")
        count -= 1
    }

    /// Bytes of what is in it; the file may be larger until its log is written back.
    func size() throws(StoreFailure) -> Int64 {
        let facts = try connection.integer(
            """
            SELECT (page_count - freelist_count) * page_size
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """)
        return facts ?? 0
    }
}
