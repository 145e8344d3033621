import Exchanges
import Inspection
import Store

/// The messages of one exchange for people, laid out by their types.
struct MessagesText {
    /// Messages that are held at once, which may be as long as bodies.
    private static let page = 8

    private let record: TrafficRecord
    private let reader: TrafficReader

    init(_ record: TrafficRecord, _ reader: TrafficReader) { (self.record, self.reader) = (record, reader) }

    /// - Parameter lines: in all, at most.
    /// - Parameter width: characters of a line at most.
    func write(to stream: ResultStream, lines: Int, width: Int) throws(StoreFailure) {
        guard record.messageCount > 0 else { return }
        stream.write(line: "\nMESSAGES (\(record.messageCount))")
        let sink = LineSink(limit: lines, width: width) { stream.write(line: "  " + $0) }
        var last: Int64 = -1
        while !sink.isOver, !stream.isClosed {
            let page = try reader.messages(of: record.summary.id, after: last, limit: Self.page)
            guard let end = page.last else { break }
            for message in page { Self.add(message, to: sink) }
            last = end.number
        }
        if sink.isCut {
            stream.write(line: "  … cut here; --all shows more, --messages a line for each")
        }
    }

    private static func add(_ message: RecordedMessage, to sink: LineSink) {
        let facts = message.facts
        let from = facts.sender == .client ? "client →" : "← origin"
        let event = message.eventWords.isEmpty ? "" : " " + message.eventWords
        let note = message.note.map { " (\($0))" } ?? ""
        let size = LogQuantity.size(UInt64(clamping: facts.length))
        sink.add("\(LogQuantity.time(facts.time)) \(from) \(facts.kind.name)\(event), \(size)\(note)")
        guard let bytes = message.bytes, !bytes.isEmpty else { return }
        sink.indented {
            if let close = message.close {
                sink.add(close.words)
            } else {
                BodyText.render(bytes[...], contentType: contentType(message), isCut: message.isPartial, to: sink)
            }
        }
    }

    /// What its bytes are taken for; texts that are JSON are laid out as that.
    private static func contentType(_ message: RecordedMessage) -> [UInt8]? {
        guard message.facts.kind == .event || message.facts.kind == .error else { return nil }
        let first = message.bytes?.first
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? nil : Array("text/plain".utf8)
    }
}
