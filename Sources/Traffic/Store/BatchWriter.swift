import CSQLite

/// Writes batches, each in one transaction.
final class BatchWriter {
    let connection: SQLiteConnection
    private let statements: [SQLiteStatement]
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let newest: SQLiteStatement
    /// More than every number that was ever given out, as far as this process knows.
    private var next: Int64

    init(_ connection: SQLiteConnection, next: Int64 = 1) throws(StoreFailure) {
        self.connection = connection
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        newest = try connection.prepare("SELECT max(id) FROM exchange")
        var statements: [SQLiteStatement] = []
        for table in WriteBatch.Table.allCases { statements.append(try connection.prepare(Self.sql(table))) }
        self.statements = statements
        // Numbers are not used again after those who had them were removed.
        let last = try connection.integer("SELECT value FROM meta WHERE key = 'last_id'") ?? 0
        self.next = max(next, last.addingReportingOverflow(1).partialValue)
    }

    /// What a later writer of the same process goes on with.
    var nextIdentity: Int64 { next }

    /// Writes all of it and gives the number of its first new exchange, or writes nothing.
    func write(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64 {
        try begin.run()
        do {
            let first = max(next, (try newestIdentity() ?? 0) + 1)
            try rows(batch, first)
            try commit.run()
            next = first + batch.newCount
            return first
        } catch {
            if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    func newestIdentity() throws(StoreFailure) -> Int64? {
        defer { newest.reset() }
        return try newest.step() ? newest.integer(0) : nil
    }

    private func rows(_ batch: borrowing WriteBatch, _ first: Int64) throws(StoreFailure) {
        let result: Result<Void, StoreFailure> = batch.bytes.withUnsafeBytes { bytes in
            for row in batch.rows {
                let statement = statements[row.table.rawValue]
                var parameter: CInt = 0
                for index in row.values {
                    parameter += 1
                    Self.bind(statement.handle, parameter, batch.values[index], bytes, first)
                }
                do throws(StoreFailure) { try statement.run() } catch { return .failure(error) }
            }
            return .success(())
        }
        try result.get()
    }

    /// Binds without copying: the bytes stay where they are until the row is written.
    @inline(__always)
    private static func bind(
        _ statement: OpaquePointer, _ parameter: CInt, _ value: WriteBatch.Value, _ bytes: UnsafeRawBufferPointer,
        _ first: Int64
    ) {
        switch value {
        case .null: sqlite3_bind_null(statement, parameter)
        case .integer(let number): sqlite3_bind_int64(statement, parameter, number)
        case .text(let place):
            guard let start = bytes.baseAddress else {
                sqlite3_bind_text(statement, parameter, "", 0, nil)
                return
            }
            let text = (start + place.lowerBound).assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text(statement, parameter, text, CInt(clamping: place.count), nil)
        case .blob(let place):
            guard let start = bytes.baseAddress else {
                sqlite3_bind_zeroblob(statement, parameter, 0)
                return
            }
            sqlite3_bind_blob(statement, parameter, start + place.lowerBound, CInt(clamping: place.count), nil)
        case .identity(.stored(let id)): sqlite3_bind_int64(statement, parameter, id)
        case .identity(.new(let index)): sqlite3_bind_int64(statement, parameter, first + index)
        }
    }

    private static func sql(_ table: WriteBatch.Table) -> String {
        func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
        return switch table {
        case .exchange: "INSERT INTO exchange VALUES (\(places(ExchangeColumns.count)))"
        case .exchangeUpdate: "INSERT OR REPLACE INTO exchange VALUES (\(places(ExchangeColumns.count)))"
        case .content: "INSERT INTO content VALUES (\(places(13)))"
        case .contentUpdate:
            """
            UPDATE content SET client_request = coalesce(?2, client_request),
                origin_request = coalesce(?3, origin_request), origin_answer = coalesce(?4, origin_answer),
                client_answer = coalesce(?5, client_answer), request_trailers = coalesce(?6, request_trailers),
                answer_trailers = coalesce(?7, answer_trailers), request_body = coalesce(?8, request_body),
                answer_body = coalesce(?9, answer_body), request_flags = ?10, answer_flags = ?11,
                request_kept = ?12, answer_kept = ?13
                WHERE exchange = ?1
            """
        case .piece: "INSERT INTO piece VALUES (?, ?, ?, ?)"
        case .message: "INSERT INTO message VALUES (\(places(10)))"
        }
    }
}
