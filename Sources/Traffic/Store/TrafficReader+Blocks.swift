/// What a block holds of one exchange.
struct BlockContent {
    let places: ContentPlaces
    let bytes: [UInt8]

    /// Of both sides, in the form of ``HeadsWriter``.
    var heads: [UInt8] { Array(bytes[places.requestHeads]) + bytes[places.answerHeads] }

    func body(_ side: BodySide) -> ArraySlice<UInt8> {
        bytes[side == .request ? places.requestBody : places.answerBody]
    }
}

/// A block that was read, for those who want the next exchange are likely to want the same one.
struct ReadBlock {
    /// Nothing was written by anybody else as long as this is the store's version.
    let version: Int64
    let exchanges: ClosedRange<Int64>
    let places: [UInt8]
    let bytes: [UInt8]
}

extension TrafficReader {
    /// What a block holds of an exchange that is there; nil where its content is elsewhere.
    func blockContent(of id: Int64) throws(StoreFailure) -> BlockContent? {
        let version = try version()
        if lastBlock?.version != version || lastBlock?.exchanges.contains(id) != true {
            lastBlock = try block(of: id, version)
        }
        guard let block = lastBlock,
            let places = ContentPlaces(block.places, id - block.exchanges.lowerBound, in: block.bytes)
        else { return nil }
        return BlockContent(places: places, bytes: block.bytes)
    }

    private func block(of id: Int64, _ version: Int64) throws(StoreFailure) -> ReadBlock? {
        let statement = try prepare(
            "SELECT first, last, places, bytes FROM block WHERE first <= ? ORDER BY first DESC LIMIT 1", .all, [id])
        defer { statement.reset() }
        guard try statement.step(), let first = statement.integer(0), let last = statement.integer(1), id <= last
        else { return nil }
        return ReadBlock(
            version: version, exchanges: first...last, places: statement.bytes(2) ?? [], bytes: statement.bytes(3) ?? []
        )
    }

    /// Lets all that `body` reads be of one moment.
    func atOnce<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        try connection.run("BEGIN")
        defer { try? connection.run("ROLLBACK") }
        return try body()
    }
}
