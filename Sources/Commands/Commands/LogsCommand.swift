import Exchanges
import Inspection
import Store

extension Command {
    static let logs = Command(
        name: "logs",
        summary: "List recorded exchanges, newest last.",
        usage: "logs [FILTER…] [options]",
        details: [
            "Reads the store, whether a Shunt runs or not. Each line begins with the number for `shunt show`.",
            StoredTraffic.filterHelp,
        ],
        tables: HelpTopic.filterSections,
        options: [
            .flag(
                "follow", short: "f",
                "List new exchanges as they end, until Ctrl-C; long ones also when they begin."),
            .value("lines", short: "n", "N", default: "50", "How many to list; with -f, how many to begin with."),
            .value(
                "origin", "HOST:PORT",
                "What the program of this origin has written, which Shunt starts by \"run\": docs/origins.md."),
            .value("session", "ID", "Those of one session, see `shunt session`."),
            .flag("oldest", "The oldest ones instead of the newest ones.").excluding("follow"),
            .flag(
                "messages",
                "Also list the messages of WebSockets and the events of streams, one in each line: the last ones of each "
                    + "exchange, as many as -n says."),
            .flag("no-color", "No colours. NO_COLOR in the environment does the same."), .noPager,
            .running, .identity, .store, .profiles,
            .flag("json", "JSON Lines: an object per exchange, and per message."),
        ],
        examples: [
            ("Errors", "shunt logs '~e | ~c 5xx'"),
            ("Watch one host, without its images", "shunt logs -f '~d api.shop.test & !~a'"),
            ("The messages of a WebSocket, live", "shunt logs -f --messages '~websocket & ~u /chat'"),
            ("A server that Shunt has started, live", "shunt logs -f --origin localhost:3000"),
            ("Slow URLs, for a script", "shunt logs -n 1000 '~slow 1s' --json | jq -r .url"),
        ],
        run: LogsCommand.run)
}

/// What `shunt logs` does.
enum LogsCommand {
    /// Rows that are held at once in order to turn them round.
    private static let page = 500

    static func run(_ arguments: Arguments) async throws -> CInt {
        let count = try arguments.count("lines", in: 0...Int(Int32.max)) ?? 50
        if let origin = arguments.text("origin") { return try await LogsOfOrigin.run(arguments, origin, count: count) }
        var words = arguments.operands
        if let session = arguments.text("session") {
            words = words.isEmpty ? ["~session", session] : ["("] + words + [")", "&", "~session", session]
        }
        let filter = try StoredTraffic.filter(words)
        let path = try StoredTraffic.path(arguments)
        let reader = try StoredTraffic.open(path, arguments)
        let hasColor = !arguments.has("no-color") && Terminal.wantsColor(on: 1)
        let format = arguments.has("json") ? LogFormat.json : .terminal(1, color: hasColor)
        let list = LogsList(StoredLine(format), pager: arguments.has("follow") ? nil : Pager(arguments))
        if arguments.has("messages") { list.tellMessages(MessageLine(format), atFirst: count, reader) }
        do throws(StoreFailure) {
            let search = TrafficSearch(reader, filter)
            if arguments.has("follow") {
                let follower = try LogsFollower(path, filter, list)
                try newest(count, of: search, upTo: follower.last, list)
                try follower.run()
            } else if arguments.has("oldest") {
                try search.each(.oldestFirst(after: 0), limit: count, list.add)
            } else {
                try newest(count, of: search, upTo: .max - 1, list)
            }
            if let failure = list.failure { throw failure }
        } catch {
            list.stream.flush()
            throw CommandFailure.reading(error)
        }
        try list.stream.finish()
        return 0
    }

    /// The last ones in the order of time.
    private static func newest(
        _ count: Int, of search: TrafficSearch, upTo last: Int64, _ list: LogsList
    ) throws(StoreFailure) {
        guard count > page else {
            let rows = try search.page(.newestFirst(before: last + 1), limit: count)
            for row in rows.reversed() { _ = list.add(row) }
            return
        }
        // More than should be held: where the list begins is found first.
        var first: Int64?
        try search.each(.newestFirst(before: last + 1), limit: count) {
            first = $0.id
            return true
        }
        guard let first else { return }
        try search.each(.oldestFirst(after: first - 1), limit: count) { $0.id <= last && list.add($0) }
    }
}
