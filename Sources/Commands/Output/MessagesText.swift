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
            for message in page { message.render(to: sink) }
            last = end.number
        }
        if sink.isCut { stream.write(line: "  … cut here; --all shows more, --messages a line for each") }
    }
}
