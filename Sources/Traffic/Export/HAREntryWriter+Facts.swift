import JSON

extension HAREntryWriter {
    private static let messagesAtOnce = 4

    /// What HAR has no place for.
    func writeFacts(isRedacted: Bool) {
        output.json.member("_id", record.summary.id)
        if !record.summary.isEnded { output.json.member("_running", true) }
        if isRedacted { output.json.member("_redacted", true) }
        output.json.member("_total", milliseconds: exchange.timings.total)
        output.json.object("_client") {
            $0.member("address", exchange.client.address)
            $0.member("protocol", exchange.client.version)
            $0.member("tls", exchange.client.tls)
        }
        let texts = [
            ("_profile", exchange.profile), ("_chosenBy", exchange.reason), ("_route", exchange.route),
            ("_responder", exchange.responder), ("_trustPolicy", exchange.origin?.trust),
            ("_trustDecision", exchange.origin?.trustDecision),
        ]
        for (name, value) in texts { if let value { output.json.member(name, value) } }
        if let origin = exchange.origin { writeOrigin(origin) }
        if exchange.isUnlocked { output.json.member("_unlocked", true) }
        if exchange.retries > 0 { output.json.member("_retries", exchange.retries) }
        if !exchange.rewritten.isEmpty { output.json.member("_rewritten", exchange.rewritten) }
        if !exchange.hops.isEmpty { writeHops(exchange.hops) }
        if let failure = exchange.failure { writeFailure(failure) }
        writeHead("_originRequest", record.originRequest, unless: record.clientRequest)
        writeHead("_originResponse", record.originAnswer, unless: record.clientAnswer)
        if let trailers = record.requestTrailers {
            writeFields("_requestTrailers", HeadText(trailers, isTrailer: true).fields)
        }
        if let trailers = record.answerTrailers {
            writeFields("_responseTrailers", HeadText(trailers, isTrailer: true).fields)
        }
    }

    private func writeOrigin(_ origin: Exchange.OriginFacts) {
        output.json.object("_origin") {
            $0.member("url", origin.url)
            $0.member("address", origin.address)
            $0.member("protocol", origin.version)
            $0.member("tls", origin.tls)
            $0.member("reused", origin.isReused)
            $0.member("resumed", origin.isResumed)
        }
    }

    private func writeHops(_ hops: [Exchange.Hop]) {
        output.json.array("_hops") { array in
            for hop in hops {
                array.object {
                    $0.member("origin", hop.origin)
                    $0.member("outcome", hop.outcome)
                }
            }
        }
    }

    private func writeFailure(_ failure: Exchange.Failure) {
        output.json.member("_error", failure.message)
        output.json.object("_failure") {
            $0.member("side", failure.side)
            $0.member("stage", failure.stage)
        }
    }

    /// A head on the origin's side; null where it is the one on the client's side.
    private func writeHead(_ name: String, _ head: [UInt8]?, unless same: [UInt8]?) {
        guard let head, same != nil else { return }
        if head == same {
            output.json.key(name)
            output.json.null()
            return
        }
        let text = HeadText(head)
        output.json.key(name)
        output.json.beginObject()
        output.json.member("startLine", text.startLine)
        writeFields("headers", text.fields)
        output.json.endObject()
    }

    /// WebSocket messages as Chrome has them, and the events of a stream.
    func writeMessages() throws(ExportFailure) {
        var number: Int64 = -1
        var name: String?
        while true {
            let page = try stored { () throws(StoreFailure) in
                try reader.messages(of: record.summary.id, after: number, limit: Self.messagesAtOnce)
            }
            for message in page {
                number = message.number
                if name == nil {
                    let isEvent = message.facts.kind == .event
                    output.json.member("_resourceType", isEvent ? "eventsource" : "websocket")
                    name = isEvent ? "_eventSourceMessages" : "_webSocketMessages"
                    output.json.key(name ?? "")
                    output.json.beginArray()
                }
                write(message)
                try output.settle()
            }
            if page.count < Self.messagesAtOnce { break }
        }
        if name != nil { output.json.endArray() }
    }

    private func write(_ message: RecordedMessage) {
        let facts = message.facts
        let bytes = message.bytes ?? []
        let words = facts.kind == .text || facts.kind == .event ? String(validating: bytes, as: UTF8.self) : nil
        output.json.object {
            $0.member("type", facts.sender == .client ? "send" : "receive")
            $0.key("time")
            $0.raw(Self.seconds(facts.time).utf8)
            $0.member("opcode", facts.kind.opcode)
            $0.member("data", words ?? Base64Encoder.text(bytes))
            if words == nil { $0.member("_encoding", "base64") }
            if facts.length != bytes.count { $0.member("_length", facts.length) }
        }
    }

    /// Since 1970, with microseconds.
    private static func seconds(_ time: Int64) -> String {
        let (whole, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(time < 0 ? "-" : "")\(whole).\(String(rest + 1_000_000).dropFirst())"
    }
}

extension MessageFacts.Kind {
    /// That of RFC 6455 5.2; an event counts as text.
    var opcode: Int {
        switch self {
        case .text, .event: 1
        case .binary: 2
        case .close: 8
        case .ping: 9
        case .pong: 10
        }
    }
}
