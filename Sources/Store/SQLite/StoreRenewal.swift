import Platform

/// Puts an empty store in the place of one whose disk is full, where SQLite has no room even to remove something.
enum StoreRenewal {
    /// Removes the files, makes an empty store with the same numbering, and returns the number of ended exchanges.
    ///
    /// A recorder notices that its file is gone, and goes on in the new one.
    static func renew(_ path: String) throws(StoreFailure) -> Int64 {
        let known = try facts(path)
        discard(path)
        let store = try OpenedStore(path: path)
        let insert = try store.connection.prepare(
            "INSERT INTO meta VALUES ('last_id', ?1) ON CONFLICT(key) DO UPDATE SET value = max(value, ?1)")
        try insert.bind(0, .integer(known.newest))
        try insert.run()
        return known.count
    }

    private static func facts(_ path: String) throws(StoreFailure) -> (count: Int64, newest: Int64) {
        do throws(StoreFailure) { return try facts(try SQLiteConnection(path: path, isReadOnly: true)) } catch {
            // Without room for the shared memory of readers it can only be opened exclusively, which needs none.
            let connection = try SQLiteConnection(path: path, isReadOnly: false)
            try connection.run("PRAGMA locking_mode = EXCLUSIVE")
            return try facts(connection)
        }
    }

    private static func facts(_ connection: SQLiteConnection) throws(StoreFailure) -> (count: Int64, newest: Int64) {
        let count = try connection.integer("SELECT count(*) FROM exchange WHERE ended = 1")
        let newest = try connection.integer(
            """
            SELECT max(coalesce((SELECT max(id) FROM exchange), 0),
                coalesce((SELECT value FROM meta WHERE key = 'last_id'), 0))
            """)
        return (count ?? 0, newest ?? 0)
    }

    /// Removes and truncates the files, since other processes may have them open and the disk needs the space now.
    ///
    /// The shared memory is not truncated, since other processes have mapped it.
    private static func discard(_ path: String) {
        for suffix in ["", "-wal"] {
            let descriptor = open(path + suffix, O_WRONLY | O_CLOEXEC)
            unlink(path + suffix)
            guard descriptor >= 0 else { continue }
            ftruncate(descriptor, 0)
            close(descriptor)
        }
        unlink(path + "-shm")
    }
}
