/// Removes exchanges from a store, whoever else writes to it at the same time.
public final class TrafficEraser {
    private let path: String
    private let store: OpenedStore
    private let retention: Retention

    /// Exchanges that go in one transaction, which keeps others from writing.
    private static let batch = 100
    /// Pages that are given back in one.
    private static let pages = 1024

    /// Opens a store that is there.
    public init(_ path: String) throws(StoreFailure) {
        guard StoreFiles.exists(path) else {
            throw StoreFailure(.missing, path: path, "no traffic was recorded here yet")
        }
        self.path = path
        store = try OpenedStore(path: path)
        retention = try Retention(store.connection, StoreSettings())
        // What lies in pages that others share goes, too; whole pages are given back.
        try store.connection.run("PRAGMA secure_delete = FAST")
    }

    /// Removes every exchange of a store that has ended, gives the space back, and says how many there were.
    ///
    /// On a full disk, too, where the store is made anew: what runs goes on there.
    public static func removeAll(_ path: String) throws(StoreFailure) -> Int64 {
        do throws(StoreFailure) {
            return try TrafficEraser(path).removeAll()
        } catch {
            guard error.kind == .diskFull || error.kind == .inputOutput && StoreFiles.isDiskFull(path) else {
                throw error
            }
            return try StoreRenewal.renew(path)
        }
    }

    /// Removes every exchange that has ended, gives the space back, and says how many there were.
    ///
    /// Those that run stay.
    public func removeAll() throws(StoreFailure) -> Int64 {
        let count = try TrafficReader(path).count(where: StoreCondition("ended = 1"))
        try retention.clear()
        return count
    }

    /// Removes what a filter wants, gives the space back, and says how many there were.
    ///
    /// Those that run stay, and so do those that come while it works.
    public func remove(_ filter: TrafficFilter) throws(StoreFailure) -> Int64 {
        let reader = try TrafficReader(path)
        let search = TrafficSearch(reader, filter)
        let newest = try reader.newest() ?? 0
        try retention.keepNewest()
        var removed: Int64 = 0
        var last: Int64 = 0
        while last < newest {
            let page = try search.page(.oldestFirst(after: last), limit: Self.batch)
            guard let end = page.last?.id else { break }
            last = end
            let victims = page.filter { $0.isEnded && $0.id <= newest }.map(\.id)
            if !victims.isEmpty { removed += Int64(try retention.remove(victims, until: .max, leavesNothing: true)) }
        }
        try giveBack()
        return removed
    }

    private func giveBack() throws(StoreFailure) {
        var before = Int64.max
        while true {
            let free = try store.connection.integer("PRAGMA freelist_count") ?? 0
            // Another writer may have taken what was free.
            guard free > 0, free < before else { break }
            before = free
            try store.connection.run("PRAGMA incremental_vacuum(\(Self.pages))")
        }
        try store.connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
