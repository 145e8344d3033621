import Engine
import Profiles

/// The limits that the command line can set: one row each, for parsing and for help.
enum LimitOptions {
    private enum Target {
        case time(WritableKeyPath<Limits, UInt64>)
        case size(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
        case count(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
        /// No limit unless it is given; may have `/s` behind it.
        case optional(WritableKeyPath<Limits, Int?>, ClosedRange<Int>)
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
                help: "Maximum bytes of a message's head (else 431)."),
            Row(name: "fields", target: .count(\.fields, 1...10_000), help: "Maximum fields of a head (else 431)."),
            Row(
                name: "head-timeout", target: .time(\.headTime),
                help: "Time for a client to send a head, TLS handshake included (else 408)."),
            Row(
                name: "idle-timeout", target: .time(\.idleTime),
                help: "How long a client's connection may be idle between requests."),
            Row(
                name: "connect-timeout", target: .time(\.connectTime),
                help: "Time for look-up, connection and TLS handshake with an origin (else 504)."),
            Row(
                name: "response-timeout", target: .time(\.responseTime),
                help: "Time for an origin to begin its response (else 504)."),
            Row(name: "body-timeout", target: .time(\.bodyTime), help: "How long a body may make no progress."),
            Row(
                name: "held-bodies", target: .size(\.heldBodies, 1 << 20...1 << 40),
                help: "Memory for bodies that are examined or may be sent again, of all requests together (else 503)."),
            Row(
                name: "max-connections", target: .count(\.connections, 1...10_000_000),
                help: "Maximum connections of clients; further ones wait in the system's queue."),
            Row(
                name: "client-connections", target: .optional(\.clientConnections, 1...1_000_000),
                help: "Maximum connections of one client (else 429); loopback has no such limit."),
            Row(
                name: "client-rate", target: .optional(\.clientRate, 1...1_000_000),
                help: "Maximum requests of one client per second, such as 50/s (else 429); a client is a user, or "
                    + "else an address."),
        ]
    }

    static var options: [Option] {
        let defaults = Limits()
        return rows.map { row in
            let option: Option =
                switch row.target {
                case .time(let path):
                    .value(row.name, "TIME", default: Quantity.durationText(defaults[keyPath: path]), row.help)
                case .size(let path, _):
                    .value(row.name, "SIZE", default: Quantity.sizeText(defaults[keyPath: path]), row.help)
                case .optional: .value(row.name, "N", default: "no limit", row.help)
                case .count(let path, _): .value(row.name, "N", default: "\(defaults[keyPath: path])", row.help)
                }
            return option.under("Limits (times like 500ms, 15s, 2m; sizes like 64k)")
        }
    }

    static func read(_ arguments: Arguments) throws -> Limits {
        var limits = Limits()
        for row in rows {
            switch row.target {
            case .time(let path):
                if let time = try arguments.duration(row.name) { limits[keyPath: path] = time }
            case .size(let path, let range):
                if let size = try arguments.size(row.name, in: range) { limits[keyPath: path] = size }
            case .optional(let path, let range):
                if let limit = try limit(row.name, arguments, range) { limits[keyPath: path] = limit }
            case .count(let path, let range):
                if let count = try arguments.count(row.name, in: range) { limits[keyPath: path] = count }
            }
        }
        return limits
    }

    private static func limit(_ name: String, _ arguments: Arguments, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = arguments.text(name) else { return nil }
        let number = name == "client-rate" && text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int(number), range.contains(limit)
        else {
            throw UsageError(
                "--\(name) “\(text)” is no possible number",
                advice: "Give one from \(range.lowerBound) to \(range.upperBound).")
        }
        return limit
    }
}
