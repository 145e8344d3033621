/// All that is kept of an exchange, apart from its bodies and messages.
public struct TrafficRecord: Sendable {
    /// What is kept of a body.
    public struct Body: Sendable, Equatable {
        /// Bytes that are kept, decoded where that was possible; 0 if there was no body.
        public let kept: Int64
        /// More came than is kept.
        public let isCut: Bool
        /// Its content codings were undone.
        public let isDecoded: Bool
        /// Its content codings could not be undone, or not to the end.
        public let isUndecodable: Bool
        /// Some of it was not kept, for the disk was slow.
        public let isDropped: Bool
    }

    public let summary: TrafficSummary
    /// The head as the client sent it; heads are kept as bytes, with secrets replaced.
    public let clientRequest: [UInt8]?
    public let originRequest: [UInt8]?
    public let originAnswer: [UInt8]?
    public let clientAnswer: [UInt8]?
    public let requestTrailers: [UInt8]?
    public let answerTrailers: [UInt8]?
    public let requestBody: Body
    public let answerBody: Body
    public let messageCount: Int64
}

/// Which of an exchange's bodies.
public enum BodySide: Int64, Sendable {
    case request = 0
    case answer = 1
}

extension TrafficReader {
    /// One exchange; nil if it is not there, or not any more.
    public func record(_ id: Int64) throws(StoreFailure) -> TrafficRecord? {
        try atOnce { () throws(StoreFailure) in try readRecord(id) }
    }

    private func readRecord(_ id: Int64) throws(StoreFailure) -> TrafficRecord? {
        let statement = try prepare(
            """
            SELECT \(ExchangeColumns.all), request_flags, answer_flags, request_kept, answer_kept, heads,
                (SELECT count(*) FROM message WHERE message.exchange = exchange.id)
                FROM \(ContextColumns.join) LEFT JOIN content ON content.exchange = exchange.id WHERE exchange.id = ?
            """, .all, [id])
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let first = ExchangeColumns.allCount
        let block = try blockContent(of: id)
        let heads = RecordedHeads(block?.heads ?? statement.bytes(first + 4) ?? [])
        return TrafficRecord(
            summary: Self.summary(statement), clientRequest: heads[.clientRequest],
            originRequest: heads[.originRequest], originAnswer: heads[.originAnswer],
            clientAnswer: heads[.clientAnswer], requestTrailers: heads[.requestTrailers],
            answerTrailers: heads[.answerTrailers],
            requestBody: Self.body(
                flags: block?.places.requestFlags.rawValue ?? statement.integer(first),
                kept: block.map { Int64($0.places.requestBody.count) } ?? statement.integer(first + 2)),
            answerBody: Self.body(
                flags: block?.places.answerFlags.rawValue ?? statement.integer(first + 1),
                kept: block.map { Int64($0.places.answerBody.count) } ?? statement.integer(first + 3)),
            messageCount: statement.integer(first + 5) ?? 0)
    }

    private static func body(flags: Int64?, kept: Int64?) -> TrafficRecord.Body {
        let flags = BodyTrack.Flags(rawValue: flags ?? 0)
        return TrafficRecord.Body(
            kept: kept ?? 0, isCut: flags.contains(.cut), isDecoded: flags.contains(.decoded),
            isUndecodable: flags.contains(.undecodable), isDropped: flags.contains(.dropped))
    }

    /// Gives what is kept of a body in pieces of at most 64 KiB, until `each` says false.
    ///
    /// The store is not held while `each` works: if the exchange is removed meanwhile, the pieces end early.
    public func body(
        of id: Int64, _ side: BodySide, _ each: ([UInt8]) -> Bool
    ) throws(StoreFailure) {
        let content = try atOnce { () throws(StoreFailure) in
            let exchange = try prepare("SELECT 1 FROM exchange WHERE id = ?", .all, [id])
            defer { exchange.reset() }
            return try exchange.step() ? try blockContent(of: id) : nil
        }
        if let content {
            var rest = content.body(side)
            while !rest.isEmpty, each(Array(rest.prefix(PieceReader.rowSize))) {
                rest = rest.dropFirst(PieceReader.rowSize)
            }
            return
        }
        let column = side == .request ? "request_body" : "answer_body"
        let first = try prepare("SELECT \(column) FROM content WHERE exchange = ?", .all, [id])
        guard try first.step(), let bytes = first.bytes(0) else { return }
        first.reset()
        guard each(bytes) else { return }
        let next = try connection.prepare(
            """
            SELECT bytes, number FROM piece WHERE exchange = ? AND side = ? AND number > ? ORDER BY number LIMIT 1
            """)
        var number: Int64 = 0
        while true {
            try next.bind(0, .integer(id))
            try next.bind(1, .integer(side.rawValue))
            try next.bind(2, .integer(number))
            guard try next.step(), let bytes = next.bytes(0) else { return }
            number = next.integer(1) ?? 0
            next.reset()
            guard each(bytes) else { return }
        }
    }
}
