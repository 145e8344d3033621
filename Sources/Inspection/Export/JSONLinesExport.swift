import Bytes
import Exchanges
import Filter
import JSON
import Store

/// Writes recorded exchanges as JSON Lines, with all that is kept of each; names are those of the log (docs/log.md).
public struct JSONLinesExport {
    private let cursor: ExportCursor
    private let calls: CallSchemas

    /// - Parameter calls: by which messages of gRPC calls are written as JSON, too.
    public init(_ search: TrafficSearch, _ calls: CallSchemas = .none) {
        (cursor, self.calls) = (ExportCursor(search), calls)
    }

    /// - Parameter told: is called after each exchange with their number so far.
    public func write(
        to output: ExportOutput, told: (_ exchanges: Int) -> Void = { _ in }
    ) throws(ExportFailure) -> ExportSummary {
        var summary = ExportSummary()
        try cursor.each { record throws(ExportFailure) in
            summary.count(try ExchangeLineWriter(cursor.reader, record, output, calls).write())
            told(summary.exchanges)
        }
        try output.flush()
        return summary
    }
}

/// One exchange as one object.
private struct ExchangeLineWriter {
    private static let messagesAtOnce = 4
    private let reader: TrafficReader
    private let record: TrafficRecord
    private let output: ExportOutput
    private let calls: CallSchemas

    private var exchange: Exchange { record.summary.exchange }

    init(_ reader: TrafficReader, _ record: TrafficRecord, _ output: ExportOutput, _ calls: CallSchemas) {
        (self.reader, self.record, self.output, self.calls) = (reader, record, output, calls)
    }

    func write() throws(ExportFailure) -> SecretsSeen {
        let request = try BodyWriter(reader, record, .request)
        let response = try BodyWriter(reader, record, .response)
        let origin = try [BodySide.request, .response].filter(record.hasChanged).map { side throws(ExportFailure) in
            try BodyWriter(reader, record, side, .origin)
        }
        let heads = [
            ("client_request", record.clientRequest), ("origin_request", record.originRequest),
            ("origin_response", record.originResponse), ("client_response", record.clientResponse),
            ("request_trailers", record.requestTrailers), ("response_trailers", record.responseTrailers),
        ]
        let secrets = SecretsSeen(
            heads.map { $0.1.map(output.heads.head) }, ([request, response] + origin).map(\.scan)
        )
        .with(exchange.url)
        output.json.beginObject()
        output.json.member("ended", record.summary.isEnded)
        output.json.member("secrets", secrets.isInClear ? "clear" : secrets.isRedacted ? "redacted" : "none")
        JSONLine.write(exchange, isRunning: false, to: &output.json)
        output.json.member("responder", exchange.responder)
        output.json.key("blocked_us")
        if let blocked = exchange.timings.blocked { output.json.value(blocked) } else { output.json.null() }
        output.json.member("origin_protocol", exchange.origin?.version)
        for (name, head) in heads { if let head { write(name, head) } }
        try write("request_body", request, record.requestBody)
        try write("response_body", response, record.responseBody)
        for body in origin {
            try write(
                body.side == .request ? "origin_request_body" : "origin_response_body", body,
                record.body(body.side, .origin))
        }
        for (name, side) in [("request_grpc", BodySide.request), ("response_grpc", .response)] {
            let messages = try stored { () throws(StoreFailure) in try reader.callMessages(record, side, calls) }
            guard let messages, !messages.isEmpty else { continue }
            output.json.array(name) { array in for message in messages { array.raw(message) } }
        }
        try writeMessages()
        output.json.endObject()
        output.json.endLine()
        try output.settle()
        return secrets
    }

    private func write(_ name: String, _ head: [UInt8]) {
        let isTrailer = name.hasSuffix("trailers")
        let text = HeadText(head, isTrailer: isTrailer)
        output.json.object(name) { object in
            if !isTrailer { object.member("line", SentFields.begin(head) ? nil : text.startLine) }
            object.objects("fields", text.fields) { one, field in
                one.member("name", field.name)
                one.member("value", field.value)
            }
        }
    }

    private func write(_ name: String, _ body: BodyWriter, _ state: TrafficRecord.Body) throws(ExportFailure) {
        guard body.scan.count > 0 || state.isCut || state.isDropped || state.isUndecodable else { return }
        output.json.key(name)
        output.json.beginObject()
        try body.write(body.scan.isText ? "text" : "base64", to: output)
        output.json.member("kept", body.scan.count)
        output.json.member("cut", state.isCut)
        output.json.member("dropped", state.isDropped)
        output.json.member("decoded", state.isDecoded)
        output.json.member("undecodable", state.isUndecodable)
        output.json.endObject()
    }

    private func writeMessages() throws(ExportFailure) {
        guard record.messageCount > 0 else { return }
        var number: Int64 = -1
        output.json.key("messages")
        output.json.beginArray()
        while true {
            let page = try stored { () throws(StoreFailure) in
                try reader.messages(of: record.summary.id, after: number, limit: Self.messagesAtOnce)
            }
            for message in page {
                number = message.number
                write(message)
                try output.settle()
            }
            if page.count < Self.messagesAtOnce { break }
        }
        output.json.endArray()
    }

    private func write(_ message: RecordedMessage) {
        output.json.object {
            $0.member("time", CalendarTime.text(message.facts.time))
            message.write(to: &$0)
        }
    }
}
