import CSQLite

/// One prepared statement; columns and parameters count from 0.
final class SQLiteStatement: StoreStatement {
    let handle: OpaquePointer
    // Keeps the connection open as long as there are statements of it.
    private let connection: SQLiteConnection

    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { sqlite3_finalize(handle) }

    /// Goes to the next row; returns false behind the last one and is then ready to run again.
    func step() throws(StoreFailure) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        try connection.check(code)
        return false
    }

    func reset() { sqlite3_reset(handle) }

    func bind(_ index: Int, _ value: StoreCondition.Value) throws(StoreFailure) {
        let at = CInt(index + 1)
        switch value {
        case .integer(let number): try connection.check(sqlite3_bind_int64(handle, at, number))
        case .text(let text):
            var text = text
            let code = text.withUTF8 {
                $0.withMemoryRebound(to: CChar.self) {
                    // A null pointer would be NULL, not the empty text.
                    $0.isEmpty
                        ? sqlite3_bind_text(handle, at, "", 0, shunt_sqlite_transient())
                        : sqlite3_bind_text(handle, at, $0.baseAddress, CInt($0.count), shunt_sqlite_transient())
                }
            }
            try connection.check(code)
        case .bytes(let bytes):
            let code = bytes.withUnsafeBytes {
                $0.isEmpty
                    ? sqlite3_bind_zeroblob(handle, at, 0)
                    : sqlite3_bind_blob(handle, at, $0.baseAddress, CInt(clamping: $0.count), shunt_sqlite_transient())
            }
            try connection.check(code)
        }
    }

    func integer(_ column: Int) -> Int64? {
        sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, CInt(column))
    }

    func text(_ column: Int) -> String? { content(column).map { String(decoding: $0, as: UTF8.self) } }

    func bytes(_ column: Int) -> [UInt8]? { content(column).map { Array($0) } }

    /// What SQLite holds until the next row.
    private func content(_ column: Int) -> UnsafeRawBufferPointer? {
        let column = CInt(column)
        guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
