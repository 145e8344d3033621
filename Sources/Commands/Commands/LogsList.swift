import Inspection
import Store

/// Lines on their way to standard output.
final class LogsList {
    let stream: ResultStream
    /// Called with each that is listed and has ended.
    var whenEnded: (Int64) -> Void = { _ in }
    /// Why messages could not be read; nothing is listed after that.
    private(set) var failure: StoreFailure?
    /// Where messages are read; nil where they are not told.
    var reader: TrafficReader?
    private let line: StoredLine
    private var messages: MessageList?
    private var atFirst = 0
    /// By listed exchange that runs, the last message that was printed.
    private var told: [Int64: Int64] = [:]

    /// Exchanges beyond this number are listed without their later messages.
    private static let maxRunning = 10_000

    init(_ line: StoredLine, pager: Pager? = nil) {
        self.line = line
        stream = ResultStream(pager: pager)
    }

    /// Lets messages follow their exchange.
    /// - Parameter atFirst: of an exchange that is listed so many at most, the last ones; then all that come.
    func tellMessages(_ line: MessageLine, atFirst: Int, _ reader: TrafficReader) {
        messages = MessageList(stream, line)
        (self.atFirst, self.reader) = (atFirst, reader)
    }

    /// Returns false when the reader has closed the pipe.
    func add(_ summary: TrafficSummary) -> Bool {
        let last = told.removeValue(forKey: summary.id)
        // What was said between its beginning and its end stands there, too.
        if let last { _ = addMessages(of: summary.id, after: last) }
        var bytes: [UInt8] = []
        line.append(summary, to: &bytes)
        stream.write(bytes)
        if last == nil, let end = addMessages(of: summary.id, after: nil), !summary.isEnded,
            told.count < Self.maxRunning
        {
            told[summary.id] = end
        }
        if summary.isEnded { whenEnded(summary.id) }
        return !stream.isClosed && failure == nil
    }

    /// Adds what was said since in exchanges that run.
    func addMessages() {
        for (id, last) in told.sorted(by: { $0.key < $1.key }) {
            if let end = addMessages(of: id, after: last) { told[id] = end }
        }
    }

    /// Forgets what ran: the store is another one.
    func restart(_ reader: TrafficReader) {
        told = [:]
        if messages != nil { self.reader = reader }
    }

    private func addMessages(of id: Int64, after number: Int64?) -> Int64? {
        guard let messages, let reader, failure == nil else { return nil }
        do throws(StoreFailure) {
            if let number { return try messages.add(id, after: number, reader) }
            let newest = try reader.newestMessage(of: id) ?? -1
            return try messages.add(id, after: max(-1, newest - Int64(atFirst)), reader)
        } catch {
            failure = error
            return nil
        }
    }
}
