import Admin
import Exchanges
import Inspection
import Store

extension Command {
    static let diff = Command(
        name: "diff",
        summary: "Send recorded requests to two profiles, and compare the responses.",
        usage: "diff [FILTER…] --between ONE,OTHER|--openapi OLD NEW [options]",
        details: [
            "Sends GET, HEAD and OPTIONS only, the newest request of each method and URL, through a running Shunt. The "
                + "first profile gets each request twice; places where its two responses differ are noise and not "
                + "counted, nor are fields such as Date.",
            "PATH is a place in JSON with everything below it (`$.items[*].price`), a field's name, `status`, `body` or "
                + "`line N`. `shunt logs --help` describes filters.",
            "With --openapi the operands are two versions of a document of OpenAPI; changes that break clients are listed.",
            "Exit status 0: all responses are equal, 1: some differ, 2: some could not be compared.",
        ],
        options: [
            .value("between", "ONE,OTHER", "The two profiles."),
            .flag("openapi", "Compare two documents of OpenAPI instead.").excluding(
                "between", "ignore", "header", "force"),
            .value("ignore", "PATH", repeatable: true, "Do not compare this. May be given several times."),
            .value("lines", short: "n", "N", default: "50", "How many requests to send, the newest ones."),
            .value(
                "header", short: "H", "'NAME: VALUE'", repeatable: true,
                "Send this field, as for a secret that was not recorded. May be given several times."),
            .flag("force", "Also send requests whose secrets or bodies were not recorded completely."),
            .running, .identity, .store, .storeKey, .profiles, .json,
        ],
        operands: 0...Int.max,
        examples: [
            ("Does production respond as staging does?", "shunt diff '~d api.shop.test' --between staging,production"),
            (
                "Signed in, and without a member that always differs",
                "shunt diff --between staging,local -H \"Authorization: Bearer $TOKEN\" --ignore '$.meta'"
            ),
            ("Does the new document break clients of the old one?", "shunt diff --openapi api.yaml new.yaml"),
        ], run: DiffCommand.run)
}

/// What `shunt diff` does.
enum DiffCommand {
    /// Nothing that changes anything is ever sent (RFC 9110 9.2.1).
    private static let methods = ["GET", "HEAD", "OPTIONS"]

    static func run(_ arguments: Arguments) async throws -> CInt {
        if arguments.has("openapi") { return try ContractComparison.run(arguments) }
        let settings = try DiffSettings(arguments)
        let filter = try StoredTraffic.filter(arguments.operands)
        do {
            let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
            let running = try RunningShunt.find(arguments)
            try RunningShunt.check([settings.first, settings.other], in: running)
            var report = DiffReport(settings, port: running.port)
            try compare(TrafficSearch(reader, filter), reader, DiffClient(settings, running.port, reader), &report)
            report.finish()
            return report.status
        } catch {
            guard !(error is UsageError) else { throw error }
            Terminal.complain(CommandFailure(error))
            return 2
        }
    }

    private static func compare(
        _ search: TrafficSearch, _ reader: TrafficReader, _ client: DiffClient, _ report: inout DiffReport
    ) throws {
        let wanted = try requests(search, limit: client.settings.limit + 1)
        guard !wanted.isEmpty else {
            throw CommandFailure(
                "nothing to compare: the filter finds no recorded \(methods.joined(separator: ", "))",
                advice: "`shunt logs` lists the recorded exchanges.")
        }
        let sent = wanted.prefix(client.settings.limit)
        var progress = Progress(.things("requests")) { Int64(sent.count) }
        defer { progress.end() }
        for (index, id) in sent.enumerated() {
            progress.show(Int64(index))
            let request = try reader.request(id).with(client.settings.fields)
            let obstacles = request.isUpgrade ? ["it asked for another protocol"] : request.obstacles
            if obstacles.isEmpty || client.settings.isForced && !request.isUpgrade {
                let outcome = try client.compare(request)
                progress.makeRoom(isJSON: client.settings.isJSON)
                report.add(id, request, outcome)
            } else {
                progress.makeRoom(isJSON: client.settings.isJSON)
                report.skip(id, request, obstacles)
            }
        }
        report.isMore = wanted.count > client.settings.limit
    }

    /// The newest of each method and URL.
    private static func requests(_ search: TrafficSearch, limit: Int) throws -> [Int64] {
        var seen: Set<String> = []
        var found: [Int64] = []
        try search.each(.newestFirst(before: nil)) { summary in
            let exchange = summary.exchange
            guard methods.contains(exchange.method) else { return true }
            if seen.insert("\(exchange.method) \(exchange.url)").inserted { found.append(summary.id) }
            return found.count < limit
        }
        return found
    }
}
