import Platform

extension TrafficReader {
    /// Bytes that the store's files take up on disk.
    ///
    /// Of a sealed store that this process records into, those of its window in memory.
    public func fileSize() -> Int64 {
        if let postgres { return (try? postgres.size()) ?? 0 }
        if let sealed { return sealed.size }
        if SQLiteConnection.isMemory(connection.path) {
            let pages = (try? connection.integer("PRAGMA page_count")) ?? 0
            return pages * ((try? connection.integer("PRAGMA page_size")) ?? 0)
        }
        return files
    }

    private var files: Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            var facts = stat()
            return stat(connection.path + suffix, &facts) == 0 ? sum + Int64(facts.st_size) : sum
        }
    }

    /// The file was deleted or moved away since it was opened.
    public var hasMoved: Bool { sealed == nil && connection.hasMoved }
}
