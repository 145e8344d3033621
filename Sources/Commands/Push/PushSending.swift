import Admin
import Bytes
import JSON
import Platform
import Push

extension PushSend {
    /// What `shunt push TOKEN…` does.
    static func run(_ arguments: Arguments) throws -> CInt {
        let jobs: PushJobs
        let streams: Int
        jobs = try Self.jobs(arguments)
        streams = try arguments.count("streams", in: 1...1000) ?? 1000
        let signer = try signer(arguments)
        let running = try RunningShunt.find(arguments)
        var send = PushSend(
            port: running.port, profile: try profile(arguments, running), signer: signer, streams: streams, jobs: jobs,
            progress: Progress(.things("notifications")) { jobs.total },
            ledger: try PushLedger(arguments.text("resume")), dead: try PushDeadTokens(arguments.text("dead")))
        let (tally, stop, failure) = send.run()
        Terminal.out(arguments.has("json") ? json(tally, stop) : text(tally))
        if let failure { throw failure }
        guard let stop else { return tally.counts.isEmpty ? 0 : 1 }
        Terminal.complain(
            "stopped at once: \(PlainText.clean(stop))",
            advice: "A 403 counts for all notifications. Mend its cause, and go on with --resume FILE.")
        return 2
    }

    /// The profile that says where notifications go, and goes on saying it when another one becomes active.
    private static func profile(_ arguments: Arguments, _ running: AdminRecord) throws -> String {
        let named = arguments.text("profile")
        if let named { try RunningShunt.check([named], in: running) }
        let client = AdminClient(running)
        let name = if let named { named } else { try client.ask(API.status).active }
        // Any device: they have one route.
        let url = "http://localhost:\(running.port)/3/device/00"
        let found = try client.ask(API.explain) { ($0.url, $0.method, $0.profile) = (url, "POST", name) }
        guard leadsToAPNs(found.json) else {
            throw CommandFailure(
                "the profile “\(name)” has no route with \"push\" for http://localhost:\(running.port)/3/device/…",
                advice: "Add one: { \"path\": \"/3/device/*\", \"push\": { \"environment\": \"mock\" } }")
        }
        return name
    }

    /// The response of a route, or of one that a chain asks.
    private static func leadsToAPNs(_ explanation: JSONValue) -> Bool {
        explanation["push"] != nil || explanation["origins"]?.array?.contains(where: leadsToAPNs) == true
    }

    /// A route with a key puts its own tokens in the place of these.
    private static func signer(_ arguments: Arguments) throws -> PushSigner {
        let given = ["key", "key-id", "team-id"].compactMap { arguments.text($0) }
        if given.isEmpty {
            guard let key = ProviderKey.generate() else { throw UsageError("a key cannot be made", advice: nil) }
            return PushSigner(key: key, keyID: "SHUNTPUSH0", teamID: "SHUNTPUSH0")
        }
        guard given.count == 3, given[1...].allSatisfy(ProviderToken.isIdentifier) else {
            throw UsageError(
                "a provider token needs the key and both identifiers",
                advice: "Give --key FILE, and --key-id and --team-id, of ten letters and digits each.")
        }
        var mode: mode_t = 0
        let bytes = try? Files.read(given[0], limit: 64 << 10) { status in
            mode = status.st_mode
            return nil
        }
        guard let bytes, let key = ProviderKey.read(pem: bytes), key.isPrivate else {
            throw UsageError("\(given[0]) holds no private key of P-256", advice: "Give the file that Apple hands out.")
        }
        guard mode & 0o077 == 0 else {
            throw UsageError("\(given[0]) can be read by others", advice: "chmod 600 \(Path.quoted(given[0]))")
        }
        return PushSigner(key: key, keyID: given[1], teamID: given[2])
    }

    private static func jobs(_ arguments: Arguments) throws -> PushJobs {
        guard
            ["tokens", "stdin-jsonl"].count(where: arguments.has) + (arguments.operands.isEmpty ? 0 : 1) == 1
        else {
            throw UsageError(
                "it is not clear which devices are meant",
                advice: "Give device tokens, or --tokens FILE, or --stdin-jsonl.")
        }
        var template = PushTemplate()
        template.topic = arguments.text("topic")
        template.type = arguments.text("type")
        template.priority = arguments.text("priority")
        template.expiration = arguments.text("expiration")
        template.collapseID = arguments.text("collapse-id")
        template.payload = try payload(arguments)
        if arguments.has("stdin-jsonl") { return try PushJobs(template, .objects(0)) }
        guard let path = arguments.text("tokens") else { return try PushJobs(template, .tokens(arguments.operands)) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw UsageError("\(FileFailure(path, "read"))") }
        return try PushJobs(template, .lines(descriptor))
    }

    private static func payload(_ arguments: Arguments) throws -> [UInt8]? {
        if let text = arguments.text("alert") {
            return JSONWriter.object { $0.object("aps") { $0.member("alert", text) } }
        }
        guard let path = arguments.text("payload") else { return nil }
        let bytes = try UsageError.of(advice: "Give a file with a JSON object under --payload.") {
            try Files.read(path, limit: 64 << 10)
        }
        guard (try? JSONReader.read(bytes, dialect: .strict))?.object != nil else {
            throw UsageError(
                "\(path) holds no JSON object", advice: "A payload is like {\"aps\": {\"alert\": \"Hello\"}}.")
        }
        return bytes
    }

    private static func text(_ tally: PushTally) -> String {
        let notes =
            (tally.known > 0 ? ["\(tally.known) acknowledged before"] : [])
            + (tally.repeated > 0 ? ["\(tally.repeated) sent again after a pause"] : [])
        let rows = [["200", "\(tally.accepted)"]] + sorted(tally).map { [PlainText.clean($0.key), "\($0.value)"] }
        return TextTable([["RESPONSE", "COUNT"]] + rows, rightAligned: [1]).text
            + (notes.isEmpty ? "" : notes.joined(separator: ", ") + "\n")
    }

    private static func sorted(_ tally: PushTally) -> [(key: String, value: Int)] {
        tally.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    private static func json(_ tally: PushTally, _ stop: String?) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.members(["accepted": tally.accepted, "known": tally.known, "repeated": tally.repeated, "stopped": stop])
            $0.object("refused") { for (reason, count) in sorted(tally) { $0.member(reason, count) } }
        }
        return writer.text + "\n"
    }
}
