import CSQLite
import Platform

/// Empties SQLite's log after a removal, since the removed bytes stand in it, too; confined to its connection's owner.
///
/// A reader of an earlier state prevents that. A mark in the store says so until it is done, by the recorder, or by the
/// next removal.
final class LogErasing {
    private let connection: SQLiteConnection
    private let mark: SQLiteStatement
    private let unmark: SQLiteStatement
    private let isMarked: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        self.connection = connection
        mark = try connection.prepare("INSERT OR IGNORE INTO meta VALUES ('erasing', 1)")
        unmark = try connection.prepare("DELETE FROM meta WHERE key = 'erasing'")
        isMarked = try connection.prepare("SELECT 1 FROM meta WHERE key = 'erasing'")
    }

    /// Something is removed in the present transaction.
    func note() throws(StoreFailure) { try mark.run() }

    /// Does what a removal left to be done, if there was one; returns false if it cannot be done yet.
    ///
    /// It does not wait for readers, since nobody could write meanwhile.
    @discardableResult
    func erase() throws(StoreFailure) -> Bool {
        let isDue = try isMarked.step()
        isMarked.reset()
        guard isDue else { return true }
        sqlite3_busy_timeout(connection.handle, 0)
        defer { sqlite3_busy_timeout(connection.handle, SQLiteConnection.patience) }
        do throws(StoreFailure) {
            guard try emptyLog() else { return false }
            try unmark.run()
            // That row alone stands in it now.
            _ = try emptyLog()
            return true
        } catch {
            // Another process writes at the same moment.
            guard error.kind == .busy else { throw error }
            return false
        }
    }

    private func emptyLog() throws(StoreFailure) -> Bool {
        let checkpoint = try connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { checkpoint.reset() }
        return try checkpoint.step() && checkpoint.integer(0) == 0
    }
}

/// What keeps removed bytes in a store's log.
public struct ErasingObstacle: Sendable {
    /// The programs that read an earlier state, such as `sqlite3 (process 4711)`; empty where the system does not say.
    public let readers: [String]
    /// A recorder goes on with it when they have ended.
    public let isContinued: Bool
    /// The log's file.
    public let file: String
}

extension TrafficEraser {
    /// Removes what removed exchanges have left in the log; nil if nothing is left.
    ///
    /// - Parameter milliseconds: how long short readers are waited for; blocks its thread.
    public static func obstacle(_ path: String, within milliseconds: Int) throws(StoreFailure) -> ErasingObstacle? {
        guard !PostgresSession.isAddress(path), !SealedFolder.isSealed(path), StoreFiles.exists(path) else {
            return nil
        }
        let store = try OpenedStore(path: path)
        let erasing = try LogErasing(store.connection)
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while try !erasing.erase() {
            guard .now >= end else {
                usleep(20_000)
                continue
            }
            return obstacle(store, path)
        }
        return nil
    }

    private static func obstacle(_ store: OpenedStore, _ path: String) -> ErasingObstacle {
        ErasingObstacle(
            readers: LogReaders.find(path).map { "\($0.name) (process \($0.pid))" },
            isContinued: store.lease?.isShared ?? false, file: path + "-wal")
    }
}
