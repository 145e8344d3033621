import Bytes
public import Exchanges
import JSON
public import Store

/// An exchange of a store in one line, as the log has it, with its number in front.
public struct StoredLine: Sendable {
    private let format: LogFormat
    /// Columns that the name of a node takes at least.
    private static let nodeWidth = 8

    public init(_ format: LogFormat) { self.format = format }

    /// Appends the line with its line end.
    public func append(_ summary: TrafficSummary, to line: inout [UInt8]) {
        if case .json = format {
            format.append(summary.exchange, isRunning: !summary.isEnded, to: &line)
            if let node = summary.node { Self.append(node, to: &line) }
            return
        }
        // In a column that is wide enough for most stores.
        let number = String(summary.id)
        var text = String(repeating: " ", count: max(0, 6 - number.count)) + number + " "
        if let node = summary.node {
            text += PlainText.clean(node) + String(repeating: " ", count: max(0, Self.nodeWidth - node.count)) + " "
        }
        line.append(contentsOf: text.utf8)
        format.append(summary.exchange, isRunning: !summary.isEnded, indent: text.count, to: &line)
    }

    /// Adds the name of a node to the object that the line is.
    private static func append(_ node: String, to line: inout [UInt8]) {
        guard let end = line.lastIndex(of: UInt8(ascii: "}")) else { return }
        var writer = JSONWriter(capacity: 64)
        writer.object { $0.member("node", node) }
        line.replaceSubrange(end..<end + 1, with: [UInt8(ascii: ",")] + writer.bytes.dropFirst())
    }
}

/// Quantities as the log writes them.
public enum LogQuantity {
    /// `3.4kB`; units are powers of 1000.
    public static func size(_ bytes: UInt64) -> String { TextLine.size(bytes) }
    /// Of microseconds: `12ms`.
    public static func duration(_ microseconds: UInt64) -> String { TextLine.duration(microseconds) }
    /// RFC 3339, UTC, with milliseconds; of microseconds since 1970.
    public static func timestamp(_ microseconds: Int64) -> String { JSONLine.timestamp(microseconds) }
    /// Local time of day, with milliseconds; of microseconds since 1970.
    public static func time(_ microseconds: Int64) -> String { TextLine.time(microseconds) }
}
