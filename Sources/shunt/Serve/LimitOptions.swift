import Engine
import Profiles

/// The limits that the command line can set: one row each, for parsing and for help.
enum LimitOptions {
    private enum Target {
        case time(WritableKeyPath<Limits, UInt64>)
        case size(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
        case count(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
    }

    private struct Row {
        let name: String
        let target: Target
        let help: String
    }

    private static var rows: [Row] {
        [
            Row(
                name: "head-size", target: .size(\.headBytes, 1024...Limits.bufferSize),
                help: "Most bytes of a message's head (else 431)."),
            Row(
                name: "fields", target: .count(\.fields, 1...10_000), help: "Most fields of a head (else 431)."),
            Row(
                name: "head-timeout", target: .time(\.headTime),
                help: "Time for a client to send a head, TLS handshake included (else 408)."),
            Row(
                name: "idle-timeout", target: .time(\.idleTime),
                help: "How long a client's connection may rest between requests."),
            Row(
                name: "connect-timeout", target: .time(\.connectTime),
                help: "Time for look-up, connection and TLS handshake with an origin (else 504)."),
            Row(
                name: "response-timeout", target: .time(\.responseTime),
                help: "Time for an origin to begin its response (else 504)."),
            Row(name: "body-timeout", target: .time(\.bodyTime), help: "How long a body may stand still."),
            Row(
                name: "max-connections", target: .count(\.connections, 1...10_000_000),
                help: "Most client connections at once; others wait in the system's queue."),
        ]
    }

    static var options: [Option] {
        let defaults = Limits()
        return rows.map { row in
            var option: Option
            switch row.target {
            case .time(let path):
                option = .value(row.name, "TIME", default: Quantity.durationText(defaults[keyPath: path]), row.help)
            case .size(let path, _):
                option = .value(row.name, "SIZE", default: Quantity.sizeText(defaults[keyPath: path]), row.help)
            case .count(let path, _): option = .value(row.name, "N", default: "\(defaults[keyPath: path])", row.help)
            }
            option.group = "Limits (times like 500ms, 15s, 2m; sizes like 64k)"
            return option
        }
    }

    static func read(_ arguments: Arguments) throws(UsageError) -> Limits {
        var limits = Limits()
        for row in rows {
            switch row.target {
            case .time(let path):
                if let time = try arguments.duration(row.name) { limits[keyPath: path] = time }
            case .size(let path, let range):
                if let size = try arguments.size(row.name, in: range) { limits[keyPath: path] = size }
            case .count(let path, let range):
                if let count = try arguments.count(row.name, in: range) { limits[keyPath: path] = count }
            }
        }
        return limits
    }
}
