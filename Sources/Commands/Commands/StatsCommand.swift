import Inspection
import JSON
import Store

extension Command {
    static let stats = Command(
        name: "stats",
        summary: "Count recorded exchanges, by host, status or another value.",
        usage: "stats [FILTER…] [options]",
        details: [
            "Shows the number of exchanges and of failures, their bytes, and the 50th and 95th percentile of their times "
                + "(at most 1.6 % too high). `shunt logs --help` describes filters."
        ],
        options: [
            .choice("by", StatsCommand.names, default: "host", "The value to group by."),
            .value("lines", short: "n", "N", default: "50", "How many groups to list, the largest first."),
            .noPager, .running, .identity, .store, .profiles, .json,
        ],
        examples: [
            ("Which host is slow?", "shunt stats"),
            ("What failed in the last hour, by status?", "shunt stats '~e & ~since 1h' --by status"),
        ],
        run: StatsCommand.run)
}

/// What `shunt stats` does.
enum StatsCommand {
    static var names: [String] { TrafficReader.Grouping.allCases.map(\.rawValue) }

    static func run(_ arguments: Arguments) async throws -> CInt {
        let count = try arguments.count("lines", in: 0...10_000) ?? 50
        let grouping = arguments.text("by").flatMap(TrafficReader.Grouping.init) ?? .host
        let filter = try StoredTraffic.filter(arguments.operands)
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        let statistics = try TrafficSearch(reader, filter).statistics(by: grouping, limit: count)
        let size = reader.fileSize()
        if arguments.has("json") {
            Terminal.out { $0.object { statistics.write(by: grouping, storeBytes: size, to: &$0) } }
        } else {
            try Terminal.page(StatisticsText(statistics, by: grouping.rawValue, size: size).text, arguments)
        }
        return 0
    }
}
