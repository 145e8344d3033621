import Bytes
package import JSON

/// One exchange as one line of JSON; the names are part of the interface (docs/log.md).
///
/// It is made of the bytes of its record, where ``ExchangeRecord`` has them: as values, facts take three times as long.
package struct JSONLine {
    package init() {}

    package func append(_ exchange: WrittenExchange, isRunning: Bool = false, to line: inout [UInt8]) {
        var writer = JSONWriter(capacity: 1024)
        writer.object { Self.write(exchange, isRunning: isRunning, to: &$0) }
        line.append(contentsOf: writer.bytes)
        line.append(UInt8(ascii: "\n"))
    }

    /// The members of the object.
    package static func write(_ exchange: Exchange, isRunning: Bool, to object: inout JSONWriter) {
        write(WrittenExchange(exchange), isRunning: isRunning, to: &object)
    }

    private static func write(_ exchange: WrittenExchange, isRunning: Bool, to object: inout JSONWriter) {
        let line = JSONRecordLine(exchange.record)
        if let id = exchange.id { object.member("id", id) }
        if isRunning { object.member("running", true) }
        line.write(to: &object)
    }

    /// RFC 3339, UTC, with milliseconds.
    package static func timestamp(_ microseconds: Int64) -> String { CalendarTime.text(milliseconds: microseconds) }
}

/// The members of an exchange that its record has.
private struct JSONRecordLine {
    private let record: ExchangeRecord
    private let places: ExchangeRecord.Texts

    init(_ record: ExchangeRecord) { (self.record, places) = (record, record.texts) }

    func write(to object: inout JSONWriter) {
        object.key(plain: "time")
        object.value(JSONLine.timestamp(record.number(.startedAt) ?? 0))
        writeTrace(to: &object)
        text("method", .method, orElse: "", to: &object)
        text("url", .url, orElse: "", to: &object)
        ExchangeTable.write(record, places, to: &object)
        object.key(plain: "client")
        object.object { client in
            text("address", .client, orElse: "", to: &client)
            text("protocol", .clientProtocol, orElse: "", to: &client)
            text("tls", .clientTLS, to: &client)
            if places[.app] != nil { text("app", .app, to: &client) }
        }
        object.key(plain: "origin")
        if places[.origin] != nil { writeOrigin(to: &object) } else { object.null() }
        object.key(plain: "timings_us")
        object.object { timings in
            number("dns", .dns, to: &timings)
            number("connect", .connect, to: &timings)
            number("tls", .tls, to: &timings)
            number("send", .send, to: &timings)
            number("wait", .wait, to: &timings)
            number("receive", .receive, to: &timings)
            number("total", .total, orElse: 0, to: &timings)
        }
        object.key(plain: "bytes")
        object.object { bytes in
            number("request", .requestBytes, orElse: 0, to: &bytes)
            number("response", .responseBytes, orElse: 0, to: &bytes)
        }
        object.key(plain: "error")
        if let failure = record.failure { Self.write(failure, to: &object) } else { object.null() }
    }

    private func writeTrace(to object: inout JSONWriter) {
        record.eachList { index, texts in
            guard index == ExchangeTable.traceIndex, texts.count > 0,
                let trace = Exchange.Trace(texts: record.strings(texts))
            else { return }
            object.member("trace_id", trace.id.text)
            object.member("span_id", TraceParent.text(ofSpan: trace.span))
        }
    }

    private func writeOrigin(to object: inout JSONWriter) {
        object.object { origin in
            text("url", .origin, to: &origin)
            text("address", .originAddress, to: &origin)
            text("protocol", .originProtocol, to: &origin)
            flag("reused", .reused, to: &origin)
            text("tls", .originTLS, to: &origin)
            flag("resumed", .resumed, to: &origin)
            text("trust", .trust, to: &origin)
            text("trust_decision", .trustDecision, to: &origin)
        }
    }

    private static func write(_ failure: Exchange.Failure, to object: inout JSONWriter) {
        object.object { error in
            error.member("side", failure.side)
            error.member("stage", failure.stage)
            error.member("message", failure.message)
            if !failure.fixes.isEmpty { error.member("fixes", failure.fixes) }
        }
    }

    private func text(
        _ name: StaticString, _ text: ExchangeRecord.Text, orElse other: String? = nil, to object: inout JSONWriter
    ) {
        object.key(plain: name)
        if let other, places[text] == nil { object.value(other) } else { record.write(places[text], to: &object) }
    }

    private func number(
        _ name: StaticString, _ number: ExchangeRecord.Number, orElse other: Int64? = nil, to object: inout JSONWriter
    ) {
        object.key(plain: name)
        record.write(record.number(number) ?? other, to: &object)
    }

    private func flag(_ name: StaticString, _ flag: ExchangeRecord.Flags, to object: inout JSONWriter) {
        object.key(plain: name)
        object.value(record.flags.contains(flag))
    }
}
