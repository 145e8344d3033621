import Postgres

/// A connection to a store in PostgreSQL, which is opened anew where it was lost; confined to its owner.
final class PostgresSession {
    /// Words for the server.
    let server: String
    private let address: PostgresAddress
    private let name: String
    private let patience: Int
    private let connecting: Int
    private let setting: String
    private var opened: PostgresConnection?
    /// Called with each new connection before it is used.
    var prepare: (PostgresSession) throws(StoreFailure) -> Void = { _ in }

    /// - Parameter setting: statements for each new connection.
    init(
        _ path: String, name: String, patience: Int = 30_000, connecting: Int = 10_000,
        setting: String = "SET search_path = shunt, pg_catalog"
    ) throws(StoreFailure) {
        do throws(PostgresFailure) { address = try PostgresAddress(path) } catch {
            throw StoreFailure(error, "PostgreSQL")
        }
        (server, self.name, self.setting) = (address.description, name, setting)
        (self.patience, self.connecting) = (patience, min(patience, connecting))
    }

    /// Whether a path is the address of a database.
    static func isAddress(_ path: String) -> Bool { PostgresAddress.isOne(path) }

    var isOpen: Bool { opened?.isUsable ?? false }

    /// The connection, which is opened if there is none.
    private func connection() throws(StoreFailure) -> PostgresConnection {
        if let opened, opened.isUsable { return opened }
        close()
        do throws(PostgresFailure) {
            let fresh = try PostgresConnection(address, name: name, until: .after(milliseconds: connecting))
            fresh.patience = patience
            guard fresh.serverVersion >= 130_000 else {
                throw PostgresFailure(.address, "the server is older than PostgreSQL 13, which Shunt needs")
            }
            try fresh.run(setting)
            opened = fresh
        } catch {
            throw StoreFailure(error, server)
        }
        do throws(StoreFailure) { try prepare(self) } catch {
            close()
            throw error
        }
        guard let opened, opened.isUsable else { throw StoreFailure(.away, path: server, "the connection was lost") }
        return opened
    }

    /// Ends the connection, and with it a transaction that is open; the next call opens another one.
    func close() { opened = nil }

    func run(_ sql: String) throws(StoreFailure) {
        let connection = try connection()
        do throws(PostgresFailure) { try connection.run(sql) } catch { throw failure(error) }
    }

    /// Lets a connection go that is of no use any more.
    private func failure(_ failure: PostgresFailure) -> StoreFailure {
        if failure.kind == .lost || failure.kind == .timedOut { close() }
        return StoreFailure(failure, server)
    }

    @discardableResult
    func query(_ sql: String, _ values: [PostgresValue] = []) throws(StoreFailure) -> PostgresRows {
        let connection = try connection()
        do throws(PostgresFailure) { return try connection.query(sql, values) } catch { throw failure(error) }
    }

    /// The same for what only reads and is in no transaction: tried a second time where the connection was lost, or a
    /// standby had to break off the statement to go along with its server.
    func read(_ sql: String, _ values: [PostgresValue] = []) throws(StoreFailure) -> PostgresRows {
        let wasOpen = opened != nil
        do throws(StoreFailure) { return try query(sql, values) } catch {
            guard wasOpen, error.kind == .away || error.kind == .busy else { throw error }
            if error.kind == .away { close() }
        }
        return try query(sql, values)
    }

    func copy(_ sql: String, _ bytes: [UInt8]) throws(StoreFailure) {
        let connection = try connection()
        var failure: PostgresFailure?
        bytes.withUnsafeBytes { bytes in
            do throws(PostgresFailure) { try connection.copy(sql, bytes) } catch { failure = error }
        }
        if let failure { throw self.failure(failure) }
    }

    /// Runs `body` in a transaction, which is rolled back if it throws; the connection stays where that is possible.
    func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try connection().transaction(mapping: failure, body)
    }

    /// The first column of the first row.
    func integer(_ sql: String, _ values: [PostgresValue] = []) throws(StoreFailure) -> Int64? {
        let rows = try query(sql, values)
        return rows.count > 0 ? rows.integer(0, 0) : nil
    }
}
