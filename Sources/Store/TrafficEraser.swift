/// Removes exchanges from a store, whoever else writes to it at the same time.
public final class TrafficEraser {
    package let path: String
    private let store: OpenedStore
    private let retention: Retention

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

    /// Has the number of the newest exchange remembered, so that numbers go on behind it.
    package func keepNewest() throws(StoreFailure) { try retention.keepNewest() }

    /// Removes these in one transaction, and says how many there were.
    package func remove(_ victims: [Int64]) throws(StoreFailure) -> Int64 {
        victims.isEmpty ? 0 : Int64(try retention.remove(victims, until: .max, leavesNothing: true))
    }

    /// Gives back the space of what was removed.
    package func giveBack() throws(StoreFailure) {
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
