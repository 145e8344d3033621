public import Exchanges

/// All that is kept of an exchange, apart from its bodies and messages.
public struct TrafficRecord: Sendable {
    /// The kept part of a body.
    public struct Body: Sendable, Equatable {
        /// Bytes that are kept, decoded if possible; 0 if there was no body.
        public let kept: Int64
        /// More bytes came than are kept.
        public let isCut: Bool
        /// Its content codings were decoded.
        public let isDecoded: Bool
        /// Its content codings could not be decoded, or not to the end.
        public let isUndecodable: Bool
        /// A part was not kept, since the disk was slow.
        public let isDropped: Bool
    }

    public let summary: TrafficSummary
    /// As bytes, with secrets replaced.
    let heads: RecordedHeads
    public let requestBody: Body
    public let responseBody: Body
    public let messageCount: Int64
    /// What the origin has shown, its own certificate first; empty without TLS.
    public let certificates: [CertificateChain.Certificate]
    /// Where its bodies are, if that is a block.
    let block: BlockBody?

    /// The head as the client sent it.
    public var clientRequest: [UInt8]? { heads[.clientRequest] }
    public var originRequest: [UInt8]? { heads[.originRequest] }
    public var originResponse: [UInt8]? { heads[.originResponse] }
    public var clientResponse: [UInt8]? { heads[.clientResponse] }
    public var requestTrailers: [UInt8]? { heads[.requestTrailers] }
    public var responseTrailers: [UInt8]? { heads[.responseTrailers] }

    /// Heads and bodies, where all of them are in a block.
    package var content: BlockBody? { block }
}

/// Which of an exchange's bodies.
public enum BodySide: Int64, Sendable {
    case request = 0
    case response = 1
}

extension TrafficReader {
    /// One exchange; nil if it is not there, or not any more.
    public func record(_ id: Int64) throws(StoreFailure) -> TrafficRecord? {
        try atOnce { () throws(StoreFailure) in
            var last = LastRead()
            return try readRecord(id, &last)
        }
    }

    /// Those of some exchanges that are there, all read in one moment.
    ///
    /// - Parameter ids: not many: what lies in blocks is held.
    package func records(_ ids: some Collection<Int64>) throws(StoreFailure) -> [TrafficRecord] {
        try atOnce { () throws(StoreFailure) in
            var records: [TrafficRecord] = []
            records.reserveCapacity(ids.count)
            var last = LastRead()
            for id in ids {
                if let record = try readRecord(id, &last) { records.append(record) }
            }
            return records
        }
    }

    /// What the exchange before had, which the next one is likely to have, too.
    private struct LastRead {
        var context: ReadContext?
        var block: BlockBody?
        var heads = RecordedHeads()
    }

    private func readRecord(_ id: Int64, _ last: inout LastRead) throws(StoreFailure) -> TrafficRecord? {
        let statement = try ask(.record, id)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let first = connection.dialect.summaryCount
        let summary = summary(statement, &last.context)
        let block = try blockBody(of: id)
        var heads = RecordedHeads()
        if let block {
            if let known = last.block, block.sharesHeads(with: known) {
                heads = last.heads
            } else {
                heads.read(block.heads(.request))
                heads.read(block.heads(.response))
                (last.block, last.heads) = (block, heads)
            }
        } else if let bytes = statement.bytes(first + 4) {
            heads.read(bytes[...])
        }
        return TrafficRecord(
            summary: summary, heads: heads,
            requestBody: Self.body(
                flags: block?.places.requestFlags.rawValue ?? statement.integer(first),
                kept: block.map { Int64($0.places.requestBody.count) } ?? statement.integer(first + 2)),
            responseBody: Self.body(
                flags: block?.places.responseFlags.rawValue ?? statement.integer(first + 1),
                kept: block.map { Int64($0.places.responseBody.count) } ?? statement.integer(first + 3)),
            messageCount: statement.integer(first + 5) ?? 0,
            certificates: try summary.exchange.origin?.chain == nil ? [] : certificates(of: id), block: block)
    }

    private func certificates(of id: Int64) throws(StoreFailure) -> [CertificateChain.Certificate] {
        let rows = try ask(.certificates, id)
        defer { rows.reset() }
        var found: [CertificateChain.Certificate] = []
        while try rows.step() {
            found.append(
                CertificateChain.Certificate(
                    subject: rows.text(0) ?? "", issuer: rows.text(1) ?? "", notAfter: rows.text(2) ?? "",
                    publicKey: rows.text(3) ?? ""))
        }
        return found
    }

    private static func body(flags: Int64?, kept: Int64?) -> TrafficRecord.Body {
        let flags = BodyTrack.Flags(rawValue: flags ?? 0)
        return TrafficRecord.Body(
            kept: kept ?? 0, isCut: flags.contains(.cut), isDecoded: flags.contains(.decoded),
            isUndecodable: flags.contains(.undecodable), isDropped: flags.contains(.dropped))
    }

    /// Passes a kept body in pieces of at most 64 KiB to `each`, until it returns false.
    ///
    /// The store is not held while `each` works: if the exchange is removed meanwhile, the pieces end early.
    public func body(
        of id: Int64, _ side: BodySide, _ each: ([UInt8]) -> Bool
    ) throws(StoreFailure) {
        let block = try atOnce { () throws(StoreFailure) in
            let exchange = try ask(.exists, id)
            defer { exchange.reset() }
            return try exchange.step() ? try blockBody(of: id) : nil
        }
        try body(of: id, side, in: block, each)
    }

    /// The same for an exchange that was read, whose block is known.
    package func body(of record: TrafficRecord, _ side: BodySide, _ each: ([UInt8]) -> Bool) throws(StoreFailure) {
        try body(of: record.summary.id, side, in: record.block, each)
    }

    private func body(
        of id: Int64, _ side: BodySide, in block: BlockBody?, _ each: ([UInt8]) -> Bool
    ) throws(StoreFailure) {
        if let block {
            var rest = try self.body(of: id, side, in: block)
            while !rest.isEmpty, each(Array(rest.prefix(PieceReader.rowSize))) {
                rest = rest.dropFirst(PieceReader.rowSize)
            }
        } else {
            try bodyRows(of: id, side, each)
        }
    }

    /// Rows of a body that is not in a block: the first one, and those that follow.
    package func bodyRows(of id: Int64, _ side: BodySide, _ each: ([UInt8]) -> Bool) throws(StoreFailure) {
        let first = try ask(side == .request ? .requestBody : .responseBody, id)
        guard try first.step(), let bytes = first.bytes(0) else { return first.reset() }
        first.reset()
        guard each(bytes) else { return }
        var number: Int64 = 0
        while true {
            let next = try ask(.piece, id, side.rawValue, number)
            guard try next.step(), let bytes = next.bytes(0) else { return next.reset() }
            number = next.integer(1) ?? 0
            next.reset()
            guard each(bytes) else { return }
        }
    }
}
