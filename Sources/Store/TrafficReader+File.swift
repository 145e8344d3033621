import Platform

extension TrafficReader {
    /// Bytes that the store's files take up on disk.
    public func fileSize() -> Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            var facts = stat()
            return stat(connection.path + suffix, &facts) == 0 ? sum + Int64(facts.st_size) : sum
        }
    }

    /// The file was deleted or moved away since it was opened.
    public var hasMoved: Bool { connection.hasMoved }
}
