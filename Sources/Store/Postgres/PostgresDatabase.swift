import Postgres

/// A store in PostgreSQL, as readers ask it.
final class PostgresDatabase: StoreDatabase {
    let session: PostgresSession

    var path: String { session.server }
    var dialect: StoreDialect { .postgres }
    /// A new connection reads what the old one has read.
    var hasMoved: Bool { false }

    private let address: String
    private var lastSettled: Int64 = 0

    /// Compiling a statement takes longer than it saves: a second for a sum over all partitions.
    private static let setting =
        "SET search_path = shunt, pg_catalog; SET default_transaction_read_only = on; SET jit = off"

    init(_ path: String) throws(StoreFailure) {
        address = path
        if let known = PostgresStores.takeReader(path) {
            session = known
            // It may have been lost meanwhile.
            do throws(StoreFailure) {
                try PostgresMigration.check(known)
                return
            } catch {
                guard error.kind == .away else { throw error }
                known.close()
            }
        } else {
            session = try PostgresSession(path, name: "shunt reader", setting: Self.setting)
        }
        try PostgresMigration.check(session)
    }

    deinit {
        if session.isOpen { PostgresStores.keepReader(address, session) }
    }

    func statement(_ sql: String) throws(StoreFailure) -> any StoreStatement { PostgresStatement(sql, session) }

    /// Changes when a transaction begins or ends, or when further exchanges can be followed.
    func version() throws(StoreFailure) -> Int64 {
        let settled = try self.settled()
        let rows = try session.read("SELECT hashtextextended(pg_current_snapshot()::text, $1)", [.integer(settled)])
        return rows.integer(0, 0) ?? 0
    }

    /// The number up to which no exchange will come any more; see ``PostgresSchema``.
    func settled() throws(StoreFailure) -> Int64 {
        let rows = try session.read("SELECT shunt.settled()")
        // A standby may say less for a moment, after a row was replaced.
        lastSettled = max(lastSettled, rows.integer(0, 0) ?? 0)
        return lastSettled
    }

    /// Bytes of all tables.
    func size() throws(StoreFailure) -> Int64 {
        let rows = try session.read(
            """
            SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
                WHERE relnamespace = 'shunt'::regnamespace AND relkind IN ('r', 'S')
            """)
        return rows.integer(0, 0) ?? 0
    }
}

/// A query, whose rows are all in memory once it was stepped to.
final class PostgresStatement: StoreStatement {
    private let sql: String
    private let session: PostgresSession
    private var values: [PostgresValue] = []
    private var rows: PostgresRows?
    private var row = -1

    /// - Parameter sql: with `?` or `?1` for its parameters, and without question marks otherwise.
    init(_ sql: String, _ session: PostgresSession) {
        self.sql = Self.numbered(sql)
        self.session = session
    }

    private static func numbered(_ sql: String) -> String {
        var out = ""
        out.reserveCapacity(sql.utf8.count + 16)
        var next = 1
        let characters = Array(sql.unicodeScalars)
        for (index, character) in characters.enumerated() {
            guard character == "?" else {
                out.unicodeScalars.append(character)
                continue
            }
            out += "$"
            if index + 1 < characters.count, ("0"..."9").contains(characters[index + 1]) { continue }
            out += "\(next)"
            next += 1
        }
        return out
    }

    func step() throws(StoreFailure) -> Bool {
        if rows == nil { rows = try session.read(sql, values) }
        row += 1
        if let rows, row < rows.count { return true }
        reset()
        return false
    }

    func reset() { (rows, row) = (nil, -1) }

    func bind(_ index: Int, _ value: StoreCondition.Value) throws(StoreFailure) {
        while values.count <= index { values.append(.null) }
        values[index] =
            switch value {
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
    }

    func integer(_ column: Int) -> Int64? { rows?.integer(row, column) }
    func text(_ column: Int) -> String? { rows?.text(row, column) }
    func bytes(_ column: Int) -> [UInt8]? { rows?.bytes(row, column) }
}
