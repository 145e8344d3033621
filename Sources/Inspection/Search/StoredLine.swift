public import Exchanges
public import Store

/// An exchange of a store in one line, as the log has it, with its number in front.
public struct StoredLine: Sendable {
    private let format: LogFormat

    public init(_ format: LogFormat) { self.format = format }

    /// Appends the line with its line end.
    public func append(_ summary: TrafficSummary, to line: inout [UInt8]) {
        if case .json = format { return format.append(summary.exchange, isRunning: !summary.isEnded, to: &line) }
        // In a column that is wide enough for most stores.
        let number = String(summary.id)
        let text = String(repeating: " ", count: max(0, 6 - number.count)) + number + " "
        line.append(contentsOf: text.utf8)
        format.append(summary.exchange, isRunning: !summary.isEnded, indent: text.utf8.count, to: &line)
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
