import Exchanges
import JSON
import Store

extension HAREntryWriter {
    /// Facts for which HAR has no member.
    func writeFacts(isRedacted: Bool) {
        output.json.member("_id", record.summary.id)
        if !record.summary.isEnded { output.json.member("_running", true) }
        if isRedacted { output.json.member("_redacted", true) }
        output.json.member("_total", milliseconds: exchange.timings.total)
        output.json.object("_client") {
            $0.member("address", exchange.client.address)
            $0.member("protocol", exchange.client.version)
            $0.member("tls", exchange.client.tls)
            if let app = exchange.client.app { $0.member("app", app) }
        }
        let isUsual = exchange.failure == nil && !ExchangeTable.hasArchivedList(exchange)
        if isUsual, let known = content.knownFacts, known.isOf(exchange) {
            if !known.text.isEmpty { output.json.raw(known.text) }
            return
        }
        let start = output.json.bytes.count
        renderFacts()
        guard isUsual else { return }
        // Without the comma in front of them.
        content.knownFacts = KnownContent.Facts(exchange, Array(output.json.bytes[start...].dropFirst()))
    }

    /// The messages of a gRPC call as JSON, where a schema has them.
    func writeCall() throws(ExportFailure) {
        guard !output.calls.isEmpty, record.isCall else { return }
        var sides: [(name: String, lines: [[UInt8]])] = []
        for (name, side) in [("request", BodySide.request), ("response", .response)] {
            let lines = try stored { () throws(StoreFailure) in
                try reader.callMessages(record, side, output.calls)
            }
            if let lines, !lines.isEmpty { sides.append((name, lines)) }
        }
        guard !sides.isEmpty else { return }
        output.json.object("_grpc") { object in
            for side in sides {
                object.array(side.name) { array in for line in side.lines { array.raw(line) } }
            }
        }
    }

    /// Those that many exchanges have in common.
    private func renderFacts() {
        ExchangeTable.write(archived: exchange, to: &output.json)
        if let origin = exchange.origin { writeOrigin(origin) }
        if let failure = exchange.failure { writeFailure(failure) }
        writeHead("_originRequest", record.originRequest, unless: record.clientRequest)
        writeHead("_originResponse", record.originResponse, unless: record.clientResponse)
        if let trailers = record.requestTrailers {
            output.json.key("_requestTrailers")
            output.json.fields(of: HeadLines(trailers, isTrailer: true))
        }
        if let trailers = record.responseTrailers {
            output.json.key("_responseTrailers")
            output.json.fields(of: HeadLines(trailers, isTrailer: true))
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

    private func writeFailure(_ failure: Exchange.Failure) {
        output.json.member("_error", failure.message)
        output.json.object("_failure") {
            $0.member("side", failure.side)
            $0.member("stage", failure.stage)
            if !failure.fixes.isEmpty { $0.member("fixes", failure.fixes) }
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
        let known = output.heads.head(head)
        output.json.key(name)
        output.json.beginObject()
        output.json.member("startLine", known.lines, known.lines.startLine)
        writeFields(of: known)
        output.json.endObject()
    }
}
