/// Reads a store while others write to it; confined to whoever made it.
///
/// Nothing is locked between two calls.
public final class TrafficReader {
    let connection: SQLiteConnection
    var lastBlock: ReadBlock?

    /// Opens a store that is there.
    public init(_ path: String) throws(StoreFailure) {
        let missing = StoreFailure(.missing, path: path, "no traffic was recorded here yet")
        guard StoreFiles.exists(path) else { throw missing }
        try StoreFiles.check(path)
        connection = try SQLiteConnection(path: path, isReadOnly: true)
        guard try !StoreSchema.isEmpty(connection) else { throw missing }
        try connection.run("PRAGMA mmap_size = 0; PRAGMA cache_size = -8192")
    }

    /// The number of the newest exchange; nil if there is none.
    public func newest() throws(StoreFailure) -> Int64? { try connection.integer("SELECT max(id) FROM exchange") }

    /// Another number than before says that somebody has written something since.
    public func version() throws(StoreFailure) -> Int64 { try connection.integer("PRAGMA data_version") ?? 0 }

    /// The key that secrets were replaced under; 32 bytes.
    public func redactionKey() throws(StoreFailure) -> [UInt8]? {
        let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'redaction_key'")
        return try statement.step() ? statement.bytes(0) : nil
    }

    /// What is wrong with the file; empty if nothing is.
    package func damages() throws(StoreFailure) -> [String] {
        let statement = try connection.prepare("PRAGMA integrity_check")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0) ?? "") }
        return lines == ["ok"] ? [] : lines
    }

    /// A statement with the condition's values bound.
    func prepare(
        _ sql: String, _ condition: StoreCondition = .all, _ more: [Int64] = []
    ) throws(StoreFailure) -> SQLiteStatement {
        let statement = try connection.prepare(sql)
        var index = 0
        for value in condition.values + more.map({ .integer($0) }) {
            try statement.bind(index, value)
            index += 1
        }
        return statement
    }
}
