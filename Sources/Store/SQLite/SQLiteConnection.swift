import CSQLite

/// One connection to a database; confined to its owner.
final class SQLiteConnection: StoreDatabase {
    let handle: OpaquePointer
    let path: String

    private static let isConfigured: Bool = shunt_sqlite_configure() == SQLITE_OK

    init(path: String, isReadOnly: Bool) throws(StoreFailure) {
        _ = Self.isConfigured
        self.path = path
        var opened: OpaquePointer?
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let opened else {
            let failure = Self.failure(code, opened, path)
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.patience)
    }

    /// Milliseconds that a busy database is waited for.
    static let patience: CInt = 5000

    deinit { sqlite3_close_v2(handle) }

    /// A database in memory that all connections of this process with its path share.
    static func memory(_ name: String) -> String { "\(memoryPrefix)\(name)?vfs=memdb" }

    static func isMemory(_ path: String) -> Bool { path.hasPrefix(memoryPrefix) }

    private static let memoryPrefix = "file:/shunt-"

    /// Runs statements without results.
    func run(_ sql: String) throws(StoreFailure) { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    /// The first column of the first row.
    func integer(_ sql: String) throws(StoreFailure) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    var dialect: StoreDialect { .sqlite }

    func statement(_ sql: String) throws(StoreFailure) -> any StoreStatement { try prepare(sql) }

    func prepare(_ sql: String) throws(StoreFailure) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw StoreFailure(.other, path: path, "an empty statement") }
        return SQLiteStatement(statement, of: self)
    }

    /// Runs `body` in a transaction, which is rolled back if it throws.
    func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            // Some failures have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// The file was deleted or moved away.
    var hasMoved: Bool { shunt_sqlite_has_moved(handle) != 0 }

    func check(_ code: CInt) throws(StoreFailure) {
        guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else {
            throw Self.failure(code, handle, path)
        }
    }

    private static func failure(_ code: CInt, _ handle: OpaquePointer?, _ path: String) -> StoreFailure {
        let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        return switch code & 0xFF {
        // Without room for the memory that readers share, it is another failure.
        case SQLITE_IOERR where StoreFiles.isDiskFull(path), SQLITE_FULL:
            StoreFailure(.diskFull, path: path, "the disk is full")
        case SQLITE_IOERR: StoreFailure(.inputOutput, path: path, "\(words) (SQLite code \(code))")
        case SQLITE_READONLY, SQLITE_PERM: StoreFailure(.readOnly, path: path, "cannot be written: \(words)")
        case SQLITE_BUSY, SQLITE_LOCKED: StoreFailure(.busy, path: path, "another process keeps it locked")
        case SQLITE_CANTOPEN:
            StoreFailure(.cannotOpen, path: path, "\(words), for which its folder has to be writable, too")
        case SQLITE_NOTADB: StoreFailure(.notAStore, path: path, "not a traffic store; move the file away")
        case SQLITE_CORRUPT:
            StoreFailure(.damaged, path: path, "the traffic store is damaged (\(words)); move the file away")
        default: StoreFailure(.other, path: path, "\(words) (SQLite code \(code))")
        }
    }
}
