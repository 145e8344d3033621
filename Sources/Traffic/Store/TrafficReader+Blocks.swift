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

extension TrafficReader {
    /// Finds the block, if there is one, that an exchange of the table `exchange` has its content in.
    static let blockCondition = """
        block.first = (SELECT max(first) FROM block WHERE first <= exchange.id) AND block.last >= exchange.id
        """

    /// From three columns: the block's first exchange, its places and its bytes; nil where the content is elsewhere.
    static func content(of id: Int64, _ row: SQLiteStatement, _ column: Int) -> BlockContent? {
        guard let first = row.integer(column), let places = row.bytes(column + 1), let bytes = row.bytes(column + 2),
            let found = ContentPlaces(places, id.subtractingReportingOverflow(first).partialValue, in: bytes)
        else { return nil }
        return BlockContent(places: found, bytes: bytes)
    }

    func blockContent(of id: Int64) throws(StoreFailure) -> BlockContent? {
        let statement = try prepare(
            """
            SELECT block.first, places, block.bytes FROM exchange JOIN block ON \(Self.blockCondition)
                WHERE exchange.id = ?
            """, .all, [id])
        defer { statement.reset() }
        return try statement.step() ? Self.content(of: id, statement, 0) : nil
    }
}
