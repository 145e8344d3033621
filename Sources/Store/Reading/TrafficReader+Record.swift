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
    /// Those at the origin's end are nothing where they are what the client has.
    let bodies: PerBody<Body>
    public let messageCount: Int64
    /// What the origin has shown, its own certificate first; empty without TLS.
    public let certificates: [CertificateChain.Certificate]
    /// What it begins with.
    let beginning: FramePart?

    /// The head as the client sent it.
    public var clientRequest: [UInt8]? { heads[.clientRequest] }
    public var originRequest: [UInt8]? { heads[.originRequest] }
    public var originResponse: [UInt8]? { heads[.originResponse] }
    public var clientResponse: [UInt8]? { heads[.clientResponse] }
    public var requestTrailers: [UInt8]? { heads[.requestTrailers] }
    public var responseTrailers: [UInt8]? { heads[.responseTrailers] }

    /// As the client sent it.
    public var requestBody: Body { bodies.request }
    /// As the client got it.
    public var responseBody: Body { bodies.response }

    /// A body at one end; both have the same where Shunt did not change it.
    public func body(_ side: BodySide, _ end: BodyEnd = .client) -> Body {
        bodies[StoredBody(side, hasChanged(side) ? end : .client)]
    }

    /// Whether Shunt changed a body on its way.
    public func hasChanged(_ side: BodySide) -> Bool {
        bodies[StoredBody(side, .origin)] != Body(FrameSection.BodyState())
    }

    /// Heads and bodies, where all of them are in one frame, without messages.
    package var content: FramePart? {
        beginning.flatMap { $0.section.isWhole && $0.section.messages.isEmpty ? $0 : nil }
    }
}

/// Which of an exchange's bodies.
public enum BodySide: Int64, Sendable {
    case request = 0
    case response = 1
}

/// Where a body is as it is told: Shunt may change it on its way between both.
public enum BodyEnd: Sendable {
    case client, origin
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
    /// - Parameter ids: not many: the frames that they are in are held.
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
        var part: FramePart?
        var heads = RecordedHeads()
    }

    private func readRecord(_ id: Int64, _ last: inout LastRead) throws(StoreFailure) -> TrafficRecord? {
        let statement = try ask(.summary, id)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let summary = summary(statement, &last.context)
        let first = try beginning(of: id)
        var heads = RecordedHeads()
        if let first, let known = last.part, first.sharesHeads(with: known) {
            heads = last.heads
        } else if let first {
            first.read(.heads, to: &heads)
            if first.section.isWhole { (last.part, last.heads) = (first, heads) }
        }
        var bodies = first.map { $0.section.state ?? $0.section.plainState } ?? FrameSection.State { _ in .init() }
        var messages = Int64(first?.section.messages.count ?? 0)
        if first?.section.isWhole != true {
            let counts = try ask(.counts, id)
            if try counts.step() {
                messages += counts.integer(0) ?? 0
                let hasHeads = counts.integer(1) != nil
                counts.reset()
                var cursor = Cursor()
                while hasHeads, let next = try next(.heads, of: id, &cursor) { next.read(.heads, to: &heads) }
            }
            var cursor = Cursor()
            if let state = try part(try ask(.state, id), &cursor)?.section.state { bodies = state }
        }
        return TrafficRecord(
            summary: summary, heads: heads, bodies: PerBody { TrafficRecord.Body(bodies[$0]) }, messageCount: messages,
            certificates: try summary.exchange.origin?.chain == nil ? [] : certificates(of: id), beginning: first)
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

    /// Passes a kept body at the client's end in pieces of at most 64 KiB to `each`, until it returns false.
    ///
    /// The store is not held while `each` works: if the exchange is removed meanwhile, the pieces end early.
    public func body(of id: Int64, _ side: BodySide, _ each: ([UInt8]) -> Bool) throws(StoreFailure) {
        guard try isThere(id) else { return }
        try body(of: id, side, .client, visit: { each(Array($0)) })
    }

    /// The same for an exchange that was read, at either end.
    public func body(
        of record: TrafficRecord, _ side: BodySide, _ end: BodyEnd = .client, _ each: ([UInt8]) -> Bool
    ) throws(StoreFailure) {
        let body = StoredBody(side, record.hasChanged(side) ? end : .client)
        try self.body(of: record.summary.id, body, from: record.beginning, visit: { each(Array($0)) })
    }

    func isThere(_ id: Int64) throws(StoreFailure) -> Bool {
        let exchange = try ask(.exists, id)
        defer { exchange.reset() }
        return try exchange.step()
    }
}

extension TrafficRecord.Body {
    fileprivate init(_ state: FrameSection.BodyState) {
        self.init(
            kept: Int64(state.kept), isCut: state.flags.contains(.cut), isDecoded: state.flags.contains(.decoded),
            isUndecodable: state.flags.contains(.undecodable), isDropped: state.flags.contains(.dropped))
    }
}
