import Expectations
import Inspection
import Platform
import Store

extension Command {
    static let export = Command(
        name: "export",
        summary: "Write recorded traffic as HAR, JSON Lines, a page to share, or a command that repeats a request.",
        usage: "export --har|--jsonl|--html|--openapi [FILTER…] [-o FILE] [options]",
        details: [
            "The output file gets its name only when it is complete. Secrets are replaced as in the store; fill them "
                + "in, and other parts that were not recorded, before you repeat a request.",
            "A FILTER is mitmproxy's: `~d HOST`, `~c STATUS`, `~m METHOD`, `~u URL`, and `!`, `&`, `|`; `shunt logs --help` "
                + "describes filters.",
            "With --html secrets are replaced in any case, also where the store was recorded with --keep-secrets. Long bodies "
                + "are cut.",
        ],
        options: [
            .flag("har", "HTTP Archive 1.2, for browsers' developer tools and others."),
            .flag("jsonl", "JSON Lines: everything that was recorded of each exchange."),
            .flag("html", "One page that any browser opens from disk, with search, for a colleague or an issue."),
            .flag("openapi", "A document of OpenAPI 3.1: paths as templates, parameters, statuses and shapes of JSON."),
            .value("curl", "ID", "A command for a shell that repeats the request."),
            .value("swift", "ID", "Swift code with URLSession that repeats the request."),
            .value("grpcurl", "ID", "A command of grpcurl that repeats the gRPC call."),
            .value("output", short: "o", "FILE", default: "standard output", "The file to write."),
            .to, .flag("armor", short: "a", "With --to: text instead of bytes."),
            .running, .identity, .store, .profiles,
        ],
        operands: 0...100,
        examples: [
            (
                "All failures of the last hour, for a colleague",
                "shunt export --har '~c 5xx & ~since 1h' -o failures.har"
            ),
            ("Exchange 17 as a page, for an issue", "shunt export --html '~id 17' -o checkout.html"),
            ("For one person alone, encrypted", "shunt export --har --to Profiles/recipients.txt -o traffic.har.age"),
            ("The API that was used, as a document", "shunt export --openapi '~d api' -o api.json"),
            ("Request 17, again and again", "shunt export --curl 17 > again.sh"),
        ], run: ExportCommand.run)
}

/// What `shunt export` does.
enum ExportCommand {
    /// More than these would only wait for the one that writes.
    private static let threads = min(3, sysconf(CInt(_SC_NPROCESSORS_ONLN)))

    static func run(_ arguments: Arguments) async throws -> CInt {
        let forms = ["har", "jsonl", "html", "openapi", "curl", "swift", "grpcurl"].filter { arguments.has($0) }
        guard forms.count == 1, let form = forms.first else {
            throw UsageError(
                "which form?",
                advice: "Give one of --har, --jsonl, --html, --openapi, --curl ID, --swift ID and --grpcurl ID.")
        }
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        if let code = ["curl": RequestCode.curl, "swift": .swift, "grpcurl": .grpcurl][form] {
            guard arguments.operands.isEmpty else { throw UsageError("--\(form) takes one number and no filter") }
            let id = try StoredTraffic.identity(arguments.text(form) ?? "")
            let calls = code == .grpcurl ? StoredTraffic.calls(arguments) : .none
            let request = try reader.request(id, calls)
            if code == .grpcurl, !request.isCall { throw CommandFailure("exchange \(id) is no gRPC call") }
            let text = code.text(of: request)
            try write(arguments) { take throws(ExportFailure) in
                guard take(Array(text.utf8)) else { throw .output }
            }
            return 0
        }
        let filter = try StoredTraffic.filter(arguments.operands)
        if form == "openapi" {
            let contract = try TrafficContract(try Observations(reader, profiles: nil, within: filter))
            guard contract.count > 0 else {
                throw CommandFailure("no exchange to describe", advice: "`shunt logs` lists the recorded exchanges.")
            }
            try write(arguments) { take throws(ExportFailure) in guard take(contract.json) else { throw .output } }
            Terminal.error("\(Words.count(contract.count, "exchange")) described.\n")
            return 0
        }
        let search = TrafficSearch(reader, filter)
        var summary = ExportSummary()
        // A count that the database alone cannot make reads the traffic once more.
        var progress = Progress(.things("exchanges")) { (try? search.endedCount()).map(Int64.init) }
        defer { progress.end() }
        try write(arguments) { take throws(ExportFailure) in
            let calls = StoredTraffic.calls(arguments)
            let output = ExportOutput(calls: calls, take)
            let told = { (count: Int) in progress.show(Int64(count)) }
            summary =
                switch form {
                case "har":
                    try HARExport(search, version: Tool.version, threads: threads).write(to: output, told: told)
                case "html":
                    try HTMLExport(
                        search, version: Tool.version, rules: StoredTraffic.rules(arguments), calls: calls
                    ).write(to: output, told: told)
                default: try JSONLinesExport(search, calls).write(to: output, told: told)
                }
        }
        progress.end()
        let count = Words.count(summary.exchanges, "exchange")
        Terminal.error("\(count) exported. \(summary.secretsText)\n")
        return 0
    }

    private static func write(
        _ arguments: Arguments, _ body: (_ take: @escaping ([UInt8]) -> Bool) throws(ExportFailure) -> Void
    ) throws {
        let recipients = arguments.has("to") ? try SealRecipients.read(arguments) : []
        let file = try ExportFile(arguments.text("output"))
        let sealing = recipients.isEmpty ? nil : try SealedExport(file, recipients, hasArmor: arguments.has("armor"))
        do throws(ExportFailure) { try body(sealing?.append ?? file.append) } catch {
            throw CommandFailure.exporting(error, file)
        }
        try sealing?.finish()
        try file.complete()
    }
}

extension CommandFailure {
    /// - Parameter file: what could not be written, where that is what failed.
    static func exporting(_ failure: ExportFailure, _ file: ExportFile?) -> CommandFailure {
        switch failure {
        case .store(let failure): CommandFailure("\(failure)")
        case .noSuchExchange(let id):
            CommandFailure(
                "there is no exchange \(id), or not any more", advice: "`shunt logs` lists those that there are.")
        case .output: CommandFailure("\(file?.name ?? "standard output") cannot be written: \(file?.reason ?? "")")
        }
    }
}
