import Platform

/// Bounds SQLite's write-ahead log, which cannot be emptied while a reader uses an earlier state.
struct LogBound {
    /// Under load it normally grows to this size.
    private static let minimum: Int64 = 64 << 20

    private let path: String
    private let limit: Int64
    private var isReached = false

    init(path: String, _ settings: StoreSettings) {
        self.path = path
        limit = max(Self.minimum, settings.sizeLimit)
    }

    /// Reads the file's size.
    mutating func look() {
        var facts = stat()
        isReached = stat(path + "-wal", &facts) == 0 && facts.st_size > limit
    }

    /// Throws if the log is full and a reader prevents it from being emptied.
    mutating func check(_ connection: SQLiteConnection) throws(StoreFailure) {
        guard isReached else { return }
        let checkpoint = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)")
        defer { checkpoint.reset() }
        guard try checkpoint.step(), let pages = checkpoint.integer(1), let moved = checkpoint.integer(2) else {
            return
        }
        guard moved >= pages else {
            throw StoreFailure(
                .busy, path: path,
                "another program has been reading it for so long that its log is as large as it may be; end that one")
        }
        isReached = false
    }
}
