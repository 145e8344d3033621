import Platform

/// How large SQLite's write-ahead log may become, which cannot be emptied while somebody reads an earlier state.
struct LogBound {
    /// Under load it grows to that without anybody's fault.
    private static let minimum: Int64 = 64 << 20

    private let path: String
    private let limit: Int64
    private var isReached = false

    init(path: String, _ settings: StoreSettings) {
        self.path = path
        limit = max(Self.minimum, settings.sizeLimit)
    }

    /// Looks at the file.
    mutating func look() {
        var facts = stat()
        isReached = stat(path + "-wal", &facts) == 0 && facts.st_size > limit
    }

    /// Throws if nothing more may be written, for the log is full and a reader keeps it so.
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
