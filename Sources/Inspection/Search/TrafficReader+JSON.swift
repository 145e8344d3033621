import Bytes
import Exchanges
public import JSON
public import Store

extension TrafficSummary {
    /// Writes the members that the log has of an exchange, `running` while it runs, and what lists show beside them.
    public func write(to object: inout JSONWriter) {
        JSONLine.write(exchange, isRunning: !isEnded, to: &object)
        object.member("answered_by", exchange.responder)
        if let node { object.member("node", node) }
        object.member("response_type", responseType)
    }
}

extension TrafficReader {
    /// Writes the members that tell all of an exchange: those of the log, heads, trailers, bodies and messages.
    ///
    /// Bodies stand whole or not at all: their `text` where they are UTF-8, `base64` where they are not, neither where
    /// more than ``shownBytes`` is kept.
    ///
    /// - Parameters:
    ///   - page: which messages are written; with nil all of them.
    ///   - hasBodies: false leaves the content of bodies out.
    ///   - calls: by which bodies of gRPC calls have `grpc`, their messages, too.
    public func write(
        _ record: TrafficRecord, messages page: MessagePage? = nil, hasBodies: Bool = true,
        calls: CallSchemas = .none, to object: inout JSONWriter
    ) throws(StoreFailure) {
        JSONLine.write(record.summary.exchange, isRunning: !record.summary.isEnded, to: &object)
        object.member("answered_by", record.summary.exchange.responder)
        if let node = record.summary.node { object.member("node", node) }
        object.member("trust_rule", record.summary.exchange.origin?.trustRule)
        object.objects("certificates", record.certificates) { one, certificate in
            one.member("subject", certificate.subject)
            one.member("issuer", certificate.issuer)
            one.member("not_after", certificate.notAfter)
            one.member("public_key", certificate.publicKey)
        }
        object.object("heads") { heads in
            heads.member("client_request", Self.text(record.clientRequest))
            heads.member("origin_request", Self.text(record.originRequest))
            heads.member("origin_response", Self.text(record.originResponse))
            heads.member("client_response", Self.text(record.clientResponse))
        }
        object.object("trailers") { trailers in
            trailers.member("request", Self.text(record.requestTrailers))
            trailers.member("response", Self.text(record.responseTrailers))
        }
        object.key("bodies")
        try object.object { (bodies) throws(StoreFailure) in
            for (name, side) in [("request", BodySide.request), ("response", .response)] {
                bodies.key(name)
                try write(record, side, .client, isWhole: hasBodies, calls, to: &bodies)
                bodies.key("origin_\(name)")
                if record.hasChanged(side) {
                    try write(record, side, .origin, isWhole: hasBodies, calls, to: &bodies)
                } else {
                    bodies.null()
                }
            }
        }
        object.key("messages")
        var end: (last: Int64, isMore: Bool) = (-1, false)
        try object.array { (array) throws(StoreFailure) in end = try writeMessages(of: record, page, to: &array) }
        guard page != nil else { return }
        object.members(["messages_last": end.last < 0 ? nil : Int(end.last), "messages_more": end.isMore])
    }

    /// Some messages of an exchange, since a stream may have any number of them.
    public struct MessagePage: Sendable {
        static let (maxCount, maxBytes) = (1000, 1 << 20)
        let after: Int64

        /// - Parameter after: the number of the last message that is known; -1 for none.
        public init(after: Int64) { self.after = after }
    }

    private func write(
        _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd, isWhole: Bool, _ calls: CallSchemas,
        to writer: inout JSONWriter
    ) throws(StoreFailure) {
        let body = record.body(side, end)
        let isShown = isWhole && body.kept <= Self.shownBytes
        let bytes = isShown ? try self.body(of: record, side, end) : []
        let call = isShown ? try calls.messages(of: record, side, end, self) : nil
        writer.object { object in
            object.members([
                "type": Self.text(record.contentType(side, end)), "kept": body.kept, "cut": body.isCut,
                "decoded": body.isDecoded, "undecodable": body.isUndecodable, "dropped": body.isDropped,
            ])
            if isShown { Self.write(bytes, to: &object) }
            if let call, call.type != nil {
                object.array("grpc") { array in for line in call.lines(of: bytes) { array.raw(line) } }
            }
        }
    }

    /// As many as there are, or as the page may have, a few at a time.
    ///
    /// - Returns: the number of the last one, and whether others follow.
    private func writeMessages(
        of record: TrafficRecord, _ wanted: MessagePage?, to array: inout JSONWriter
    ) throws(StoreFailure) -> (last: Int64, isMore: Bool) {
        var (last, count, bytes) = (wanted?.after ?? -1, 0, 0)
        while true {
            let page = try messages(of: record.summary.id, after: last, limit: 8)
            guard !page.isEmpty else { return (last, false) }
            for message in page {
                if wanted != nil, count >= MessagePage.maxCount || bytes >= MessagePage.maxBytes { return (last, true) }
                array.object { object in
                    object.members(["number": message.number, "time": JSONLine.timestamp(message.facts.time)])
                    message.write(to: &object)
                }
                (last, count, bytes) = (message.number, count + 1, bytes + (message.bytes?.count ?? 0))
            }
        }
    }

    private static func write(_ bytes: [UInt8], to object: inout JSONWriter) {
        if let text = String(validating: bytes, as: UTF8.self) {
            object.member("text", text)
        } else {
            object.member("base64", Base64Encoder.text(bytes))
        }
    }

    private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
