/// Removes exchanges from a store, also while a recorder writes to it.
public final class TrafficEraser {
    package let path: String
    private let place: Place

    private enum Place {
        case file(OpenedStore, Retention)
        case postgres(PostgresErasing)
    }

    /// Pages that are given back at once.
    private static let pages = 1024

    /// Opens an existing store.
    public init(_ path: String) throws(StoreFailure) {
        self.path = path
        guard !PostgresSession.isAddress(path) else {
            place = .postgres(try PostgresErasing(path))
            return
        }
        guard !SealedFolder.isSealed(path) else {
            throw StoreFailure(
                .sealed, path: path, "a sealed store is cleared as a whole; its segments cannot be changed")
        }
        guard StoreFiles.exists(path) else {
            throw StoreFailure(.missing, path: path, "no traffic was recorded here yet")
        }
        let store = try OpenedStore(path: path)
        place = .file(store, try Retention(store.connection, StoreSettings()))
        // Bytes in shared pages are overwritten; whole pages are given back.
        try store.connection.run("PRAGMA secure_delete = FAST")
    }

    /// Removes every exchange of a store that has ended, gives the space back, and returns their number.
    ///
    /// Also works on a full disk, where the store is replaced; running exchanges go on in the new one.
    public static func removeAll(_ path: String) throws(StoreFailure) -> Int64 {
        if SealedFolder.isSealed(path) {
            if let window = SealedStores.window(path) { _ = try TrafficEraser(window).removeAll() }
            return SealedFolder.clear(path)
        }
        do throws(StoreFailure) { return try TrafficEraser(path).removeAll() } catch {
            guard !PostgresSession.isAddress(path), error.kind == .diskFull else { throw error }
            return try StoreRenewal.renew(path)
        }
    }

    /// Removes every exchange that has ended, gives the space back, and returns their number.
    ///
    /// Running exchanges stay.
    public func removeAll() throws(StoreFailure) -> Int64 {
        let count = try TrafficReader(path).count(where: StoreCondition("ended = 1"))
        switch place {
        case .file(_, let retention): try retention.clear()
        case .postgres(let erasing): try erasing.clear()
        }
        return count
    }

    /// Keeps the number of the newest exchange, so that later numbers follow it.
    package func keepNewest() throws(StoreFailure) {
        // PostgreSQL's sequence has it.
        if case .file(_, let retention) = place { try retention.keepNewest() }
    }

    /// Removes these in one transaction, and returns their number.
    package func remove(_ victims: [Int64]) throws(StoreFailure) -> Int64 {
        guard !victims.isEmpty else { return 0 }
        switch place {
        case .file(_, let retention): return Int64(try retention.remove(victims, until: .max, leavesNothing: true))
        case .postgres(let erasing): return try erasing.remove(victims)
        }
    }

    /// Gives back the space of removed exchanges.
    package func giveBack() throws(StoreFailure) {
        guard case .file(let store, _) = place else {
            if case .postgres(let erasing) = place { try erasing.giveBack() }
            return
        }
        var before = Int64.max
        while true {
            let free = try store.connection.integer("PRAGMA freelist_count") ?? 0
            // Another writer may have used the free pages.
            guard free > 0, free < before else { break }
            before = free
            try store.connection.run("PRAGMA incremental_vacuum(\(Self.pages))")
        }
        if case .file(_, let retention) = place { _ = try retention.erasing.erase() }
    }
}
