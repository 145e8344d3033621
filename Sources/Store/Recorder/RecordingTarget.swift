/// Where a recorder puts its batches; confined to the recorder's thread.
protocol RecordingTarget: AnyObject {
    /// The key that secrets are replaced under; 32 bytes.
    var key: [UInt8] { get }
    /// What was recorded was deleted or moved away, and is to be begun anew.
    var hasMoved: Bool { get }

    /// A target that begins anew, and gives out no number again.
    func reopened() throws(StoreFailure) -> any RecordingTarget

    /// Writes the whole batch and returns the number of its first new exchange, or writes nothing.
    func write(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64

    /// The number that an exchange has in the store, for one that was given out; nil as long as it has none there.
    func known(_ id: Int64) -> Int64?

    /// The batch that could not be written will not be tried again.
    func forget()

    /// Does what is due once a second at most, and one step of retention.
    ///
    /// - Parameter now: microseconds since 1970.
    /// - Parameter written: exchanges that came since the last step.
    func lookAfter(now: Int64, written: Int64, isIdle: Bool) throws(StoreFailure) -> Retention.Step

    /// Makes room after a step that was stuck.
    func removeMessages(of exchange: Int64, below number: Int64) throws(StoreFailure)

    /// Nothing will be written any more.
    func finish()
}

extension RecordingTarget {
    /// For those whose steps are never stuck.
    func removeMessages(of exchange: Int64, below number: Int64) throws(StoreFailure) {}
}

/// A file of SQLite, or a database in memory.
final class FileTarget: RecordingTarget {
    private let store: OpenedStore
    private let writer: BatchWriter
    private let retention: Retention
    private var log: LogBound
    private let settings: StoreSettings

    init(_ path: String, _ settings: StoreSettings, next: Int64 = 1) throws(StoreFailure) {
        self.settings = settings
        log = LogBound(path: path, settings)
        store = try Self.open(path, settings)
        writer = try BatchWriter(store.connection, next: next)
        retention = try Retention(store.connection, settings)
    }

    /// Opens the store; one of an earlier Shunt is set aside first.
    private static func open(_ path: String, _ settings: StoreSettings) throws(StoreFailure) -> OpenedStore {
        do throws(StoreFailure) { return try OpenedStore(path: path) } catch {
            guard error.kind == .earlierVersion, let tell = settings.setAside else { throw error }
            if let aside = try SetAsideStore.file(path, now: settings.clock()) { tell(aside) }
        }
        return try OpenedStore(path: path)
    }

    var key: [UInt8] { store.key }
    var hasMoved: Bool { store.connection.hasMoved }

    func reopened() throws(StoreFailure) -> any RecordingTarget {
        try FileTarget(store.connection.path, settings, next: writer.nextIdentity)
    }

    func write(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64 {
        try log.check(store.connection)
        return try writer.write(batch)
    }

    func known(_ id: Int64) -> Int64? { id }

    func forget() {}

    func lookAfter(now: Int64, written: Int64, isIdle: Bool) throws(StoreFailure) -> Retention.Step {
        log.look()
        try retention.erasing.erase()
        return try retention.step(now: now, written: written, isIdle: isIdle)
    }

    func removeMessages(of exchange: Int64, below number: Int64) throws(StoreFailure) {
        try retention.removeMessages(of: exchange, below: number)
    }

    func finish() {}
}
