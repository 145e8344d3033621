import Bytes
import Exchanges
import Inspection
import Store

/// All of one exchange for people.
struct ExchangeText {
    private let record: TrafficRecord
    private let reader: TrafficReader
    private let calls: CallSchemas

    init(_ record: TrafficRecord, _ reader: TrafficReader, _ calls: CallSchemas) {
        (self.record, self.reader, self.calls) = (record, reader, calls)
    }

    /// - Parameter lines: of each body at most, and of messages.
    /// - Parameter width: characters of their lines at most.
    func write(to stream: ResultStream, lines: Int, width: Int) throws(StoreFailure) {
        let summary = record.summary
        let facts = ExchangeFacts(summary.exchange, id: summary.id, isEnded: summary.isEnded, node: summary.node)
        stream.write(facts.text.utf8)
        if let push = try PushFacts(record, reader) {
            for (name, text) in [("push", push.text)] + push.warnings.map({ ("warning", $0) }) {
                stream.write(line: "  " + name + String(repeating: " ", count: 11 - name.count) + PlainText.clean(text))
            }
        }
        write(
            "REQUEST", record.clientRequest, "as the client sent it", record.originRequest, "as the origin got it",
            to: stream)
        try write(.request, record.requestTrailers, to: stream, lines, width)
        write(
            "RESPONSE", record.originResponse, "as the origin sent it", record.clientResponse, "as the client got it",
            to: stream)
        try write(.response, record.responseTrailers, to: stream, lines, width)
        try MessagesText(record, reader).write(to: stream, lines: lines, width: width)
    }

    private func write(
        _ what: String, _ first: [UInt8]?, _ firstName: String, _ second: [UInt8]?, _ secondName: String,
        to stream: ResultStream
    ) {
        let heads = [(first, firstName), (second, secondName)].compactMap { head, name in
            head.map { (LineDifference.lines($0), name) }
        }
        guard let (lines, name) = heads.first else { return }
        let difference = heads.count == 2 ? LineDifference(from: lines, to: heads[1].0) : nil
        let isSame = difference?.isEmpty == true
        stream.write(line: "\n\(what) \(name)" + (isSame ? " and \(secondName)" : ""))
        for line in lines { stream.write(line: "  " + line) }
        guard let difference, !isSame else { return }
        stream.write(line: "\n\(what) \(secondName)" + (difference.isSmall ? ", what is different" : ""))
        for line in difference.isSmall ? difference.changes : heads[1].0 { stream.write(line: "  " + line) }
    }

    private func write(
        _ side: BodySide, _ trailers: [UInt8]?, to stream: ResultStream, _ lines: Int, _ width: Int
    ) throws(StoreFailure) {
        let body = record.body(side)
        if body.kept > 0 {
            stream.write(line: "")
            let sink = LineSink(limit: lines, width: width) { stream.write(line: "  " + $0) }
            try reader.render(record, side, calls: calls, to: sink)
            if sink.isCut { stream.write(line: "  … cut here; --all shows more, --raw the bytes") }
        }
        for note in record.notes(side) { stream.write(line: "  (\(note))") }
        if body.kept > TrafficReader.shownBytes {
            let shown = LogQuantity.size(UInt64(TrafficReader.shownBytes))
            stream.write(line: "  (only the first \(shown) are shown; --raw has all)")
        }
        if let changes = try reader.changes(record, side) {
            let way = side == .request ? "before the origin got it" : "before the client got it"
            stream.write(line: "\n\(side == .request ? "REQUEST" : "RESPONSE") body, what Shunt changed \(way)")
            let sink = LineSink(limit: lines, width: width) { stream.write(line: "  " + $0) }
            for line in changes.changes { sink.add(line) }
        }
        guard let trailers, !trailers.isEmpty else { return }
        stream.write(line: "\n  trailers")
        for line in LineDifference.lines(trailers) { stream.write(line: "    " + line) }
    }
}
