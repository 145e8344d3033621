import Inspection
import Store

/// Messages on their way to standard output, a line for each.
final class MessageList {
    /// Messages that are held at once, which may be as long as bodies.
    private static let page = 8

    private let stream: ResultStream
    private let line: MessageLine

    init(_ stream: ResultStream, _ line: MessageLine) { (self.stream, self.line) = (stream, line) }

    /// Adds those of an exchange behind a number, as far as there are any, and gives the number of the last one.
    func add(_ exchange: Int64, after number: Int64 = -1, _ reader: TrafficReader) throws(StoreFailure) -> Int64 {
        var last = number
        while !stream.isClosed {
            let page = try reader.messages(of: exchange, after: last, limit: Self.page)
            guard let end = page.last else { break }
            var bytes: [UInt8] = []
            for message in page { line.append(message, of: exchange, to: &bytes) }
            stream.write(bytes)
            last = end.number
        }
        return last
    }
}
