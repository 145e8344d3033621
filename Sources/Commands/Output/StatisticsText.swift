import Bytes
import Inspection
import Store

/// Sums and percentiles as a table for people.
struct StatisticsText {
    private let statistics: TrafficStatistics
    private let name: String
    private let size: Int64

    /// - Parameter size: bytes of the store.
    init(_ statistics: TrafficStatistics, by name: String, size: Int64) {
        (self.statistics, self.name, self.size) = (statistics, name, size)
    }

    var text: String {
        var rows = [[name, "count", "failed", "errors", "request", "response", "p50", "p95"]]
        rows += statistics.groups.map { Self.row($0.name.map(PlainText.clean) ?? "(none)", $0) }
        rows.append(Self.row("total", statistics.total))
        // Only calls of GraphQL and gRPC have them.
        if statistics.total.errors == 0 { for index in rows.indices { rows[index].remove(at: 3) } }
        var text = TextTable(rows, rightAligned: Set(1..<rows[0].count)).text
        if statistics.others > 0 {
            text += "\(statistics.others) more \(statistics.others == 1 ? "group" : "groups"); --lines N lists more\n"
        }
        return text + "The store takes up \(LogQuantity.size(UInt64(clamping: size))).\n"
    }

    private static func row(_ name: String, _ group: TrafficGroup) -> [String] {
        let times = [group.median, group.percentile95].map { time in
            time.map { LogQuantity.duration(UInt64(clamping: $0)) } ?? "-"
        }
        let bytes = [group.requestBytes, group.responseBytes].map { LogQuantity.size(UInt64(clamping: $0)) }
        return [name, "\(group.count)", "\(group.failed)", "\(group.errors)"] + bytes + times
    }
}
