import CSQLite

/// Writes batches, each in one transaction.
final class BatchWriter {
    let connection: SQLiteConnection
    /// For each table a statement that writes a row, and for many rows one that writes ``together`` of them.
    private let statements: [(one: SQLiteStatement, several: SQLiteStatement?)]
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let newest: SQLiteStatement
    /// Above every number that was ever given out, as far as this process knows.
    private var next: Int64
    /// The same of frames.
    private var nextFrame: Int64 = 1

    init(_ connection: SQLiteConnection, next: Int64 = 1) throws(StoreFailure) {
        self.connection = connection
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        // Numbers of removed exchanges are not used again, also if another process has just removed them.
        newest = try connection.prepare(
            """
            SELECT max(coalesce((SELECT max(id) FROM exchange), 0),
                coalesce((SELECT value FROM meta WHERE key = 'last_id'), 0)), (SELECT max(number) FROM frame)
            """)
        var statements: [(one: SQLiteStatement, several: SQLiteStatement?)] = []
        for table in WriteBatch.Table.allCases {
            let several = table.isInserted ? try connection.prepare(Self.sql(table, rows: Self.together)) : nil
            statements.append((try connection.prepare(Self.sql(table, rows: 1)), several))
        }
        (self.statements, self.next) = (statements, next)
    }

    /// Rows that one statement writes; beginning and ending a statement costs as much as a row.
    private static let together = 32

    /// The first number for a later writer of the same process.
    var nextIdentity: Int64 { next }

    /// Writes the whole batch and returns the number of its first new exchange, or writes nothing.
    ///
    /// - Parameter number: the number of that one, if it was given out before.
    func write(_ batch: borrowing WriteBatch, as number: Int64? = nil) throws(StoreFailure) -> Int64 {
        try begin.run()
        do {
            let newest = try newestNumbers()
            let first = number ?? max(next, newest.exchange + 1)
            let frame = max(nextFrame, newest.frame + 1)
            try rows(batch, first, frame)
            try commit.run()
            (next, nextFrame) = (first + batch.newCount, frame + batch.frameCount)
            return first
        } catch {
            if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    private func newestNumbers() throws(StoreFailure) -> (exchange: Int64, frame: Int64) {
        defer { newest.reset() }
        return try newest.step() ? (newest.integer(0) ?? 0, newest.integer(1) ?? 0) : (0, 0)
    }

    private func rows(_ batch: borrowing WriteBatch, _ first: Int64, _ frame: Int64) throws(StoreFailure) {
        let numbers = first..<first + batch.newCount
        let result: Result<Void, StoreFailure> = batch.withSources { sources in
            for (rows, statement) in zip(batch.rows, statements) {
                var index = 0
                while index < rows.count {
                    let several = rows.count - index >= Self.together ? statement.several : nil
                    let end = several == nil ? index + 1 : index + Self.together
                    let chosen = several ?? statement.one
                    var parameter: CInt = 0
                    while index < end {
                        for value in rows[index] {
                            parameter += 1
                            Self.bind(chosen.handle, parameter, batch.values[value], sources, numbers, frame)
                        }
                        index += 1
                    }
                    do throws(StoreFailure) { try chosen.run() } catch { return .failure(error) }
                }
            }
            return .success(())
        }
        try result.get()
    }

    /// Binds without copying: the bytes stay where they are until the row is written.
    @inline(__always)
    private static func bind(
        _ statement: OpaquePointer, _ parameter: CInt, _ value: WriteBatch.Value, _ sources: WriteBatch.Sources,
        _ numbers: Range<Int64>, _ frame: Int64
    ) {
        func number(_ identity: WriteBatch.Identity) -> Int64 {
            switch identity {
            case .stored(let id): id
            case .new(let index): numbers.lowerBound + index
            }
        }
        switch value {
        case .null: sqlite3_bind_null(statement, parameter)
        case .integer(let number): sqlite3_bind_int64(statement, parameter, number)
        case .text(let place):
            guard let start = sources.bytes else {
                sqlite3_bind_text(statement, parameter, "", 0, nil)
                return
            }
            let text = (start + Int(place.start)).assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text(statement, parameter, text, CInt(clamping: place.count), nil)
        case .blob(let place): bind(statement, parameter, sources.bytes, place)
        case .content(let place): bind(statement, parameter, sources.content, place)
        case .directory(let place): bind(statement, parameter, sources.directory, place)
        case .frame(let index): sqlite3_bind_int64(statement, parameter, frame + index)
        case .identity(let identity): sqlite3_bind_int64(statement, parameter, number(identity))
        case .own(let identity): sqlite3_bind_int64(statement, parameter, -number(identity))
        case .newest: sqlite3_bind_int64(statement, parameter, numbers.upperBound - 1)
        }
    }

    private static func bind(
        _ statement: OpaquePointer, _ parameter: CInt, _ source: UnsafeRawPointer?, _ place: WriteBatch.Bytes
    ) {
        guard let source else {
            sqlite3_bind_zeroblob(statement, parameter, 0)
            return
        }
        sqlite3_bind_blob(statement, parameter, source + Int(place.start), CInt(clamping: place.count), nil)
    }

    private static func sql(_ table: WriteBatch.Table, rows: Int) -> String {
        func places(_ count: Int) -> String {
            let row = "(\(Array(repeating: "?", count: count).joined(separator: ", ")))"
            return Array(repeating: row, count: rows).joined(separator: ", ")
        }
        // Where a row does not fit, none of the batch is written. Without that said, SQLite copies every page that a
        // statement of several rows changes into a file first, to undo that statement alone: 0.9 writes of 16 KiB for
        // each exchange.
        switch table {
        case .exchange: return "INSERT OR ROLLBACK INTO exchange VALUES \(places(ExchangeColumns.count))"
        case .context: return "INSERT OR REPLACE INTO context VALUES \(places(ContextColumns.names.count + 2))"
        case .certificate: return "INSERT OR IGNORE INTO certificate VALUES \(places(7))"
        case .exchangeUpdate: return "INSERT OR REPLACE INTO exchange VALUES \(places(ExchangeColumns.count))"
        case .entry: return "INSERT OR ROLLBACK INTO entry VALUES \(places(6))"
        case .frame: return "INSERT OR ROLLBACK INTO frame VALUES \(places(5))"
        }
    }
}
