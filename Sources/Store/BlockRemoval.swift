/// Removes blocks whose exchanges were all removed.
final class BlockRemoval {
    private let found: SQLiteStatement
    private let exists: SQLiteStatement
    private let deletion: SQLiteStatement
    private let body: SQLiteStatement
    private let replacement: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        found = try connection.prepare(
            """
            SELECT first, last FROM block
                WHERE first BETWEEN coalesce((SELECT max(first) FROM block WHERE first <= ?1), ?1) AND ?2
            """)
        exists = try connection.prepare("SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT 1")
        deletion = try connection.prepare("DELETE FROM block WHERE first = ?")
        body = try connection.prepare("SELECT places, bytes FROM block WHERE first = ?")
        replacement = try connection.prepare("UPDATE block SET places = ?, bytes = ? WHERE first = ?")
    }

    /// Exchanges of these numbers were removed.
    ///
    /// - Parameter leavesNothing: blocks that other exchanges use are rewritten without the removed ones.
    func remove(_ exchanges: ClosedRange<Int64>, leavesNothing: Bool) throws(StoreFailure) {
        try found.bind(0, .integer(exchanges.lowerBound))
        try found.bind(1, .integer(exchanges.upperBound))
        var blocks: [(first: Int64, last: Int64)] = []
        while try found.step() { blocks.append((found.integer(0) ?? 0, found.integer(1) ?? 0)) }
        for (first, last) in blocks where last >= exchanges.lowerBound {
            if try !isThere(first, last) {
                try deletion.bind(0, .integer(first))
                try deletion.run()
            } else if leavesNothing {
                try rewrite(first)
            }
        }
    }

    private func isThere(_ first: Int64, _ last: Int64) throws(StoreFailure) -> Bool {
        try exists.bind(0, .integer(first))
        try exists.bind(1, .integer(last))
        defer { exists.reset() }
        return try exists.step()
    }

    private func rewrite(_ first: Int64) throws(StoreFailure) {
        try body.bind(0, .integer(first))
        guard try body.step() else { return }
        let (places, bytes) = (body.bytes(0) ?? [], body.bytes(1) ?? [])
        body.reset()
        let kept = try BodyPlaces.keep(
            { (index) throws(StoreFailure) in try isThere(first + index, first + index) }, of: places, bytes)
        guard let kept else {
            try deletion.bind(0, .integer(first))
            return try deletion.run()
        }
        guard kept.bytes.count < bytes.count || kept.places != places else { return }
        try replacement.bind(0, .bytes(kept.places))
        try replacement.bind(1, .bytes(kept.bytes))
        try replacement.bind(2, .integer(first))
        try replacement.run()
    }
}
