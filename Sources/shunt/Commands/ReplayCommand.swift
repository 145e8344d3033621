import Admin
import Traffic

extension Command {
    static let replay = Command(
        name: "replay",
        summary: "Send a recorded request again, and compare the answer with the recorded one.",
        usage: "replay ID [options]",
        details: [
            "It goes through a running Shunt, as a client of it, with the Host of the original. What differs from answer "
                + "to answer, such as Date, is marked and does not count. The answer is asked for without compression.",
            "Exit status 0: the answers are equal, 1: they differ. Changes of production are refused by Shunt itself.",
        ],
        options: [
            .value("profile", "NAME", default: "as for the original", "Which profile shall answer."),
            .value("times", "N", default: "1", "How often to send it."),
            .flag("force", "Send it even though secrets or parts of the body were not recorded."),
            .running, .store, .profiles, .json,
        ],
        operands: 1...1,
        examples: [
            ("Is it fixed?", "shunt replay 17"),
            ("And on staging, ten times?", "shunt replay 17 --profile staging --times 10"),
        ], run: ReplayCommand.run)
}

/// What `shunt replay` does.
enum ReplayCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws(CommandFailure) -> CInt {
        let id = try StoredTraffic.identity(arguments.operands[0])
        let times: Int
        do throws(UsageError) { times = try arguments.count("times", in: 1...10_000) ?? 1 } catch {
            throw .usage(error)
        }
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments))
        let request = try ExportCommand.request(id, reader)
        try check(request, isForced: arguments.has("force"))
        guard let original = try RecordedAnswer(reader, id) else { throw .exporting(.noSuchExchange(id), nil) }
        let running = try RunningShunt.find(arguments, try Project.find(arguments))
        let client = ReplayClient(port: running.port, profile: arguments.text("profile"))
        var report = ReplayReport(id: id, port: running.port, isJSON: arguments.has("json"))
        for _ in 0..<times {
            let answer = try client.send(request)
            report.add(answer, original.answer.differences(from: original.comparable(answer)))
        }
        report.finish()
        return report.isEqual ? 0 : 1
    }

    private static func check(_ request: RecordedRequest, isForced: Bool) throws(CommandFailure) {
        guard !request.isUpgrade else {
            throw .failed("this request asked for another protocol, which cannot be replayed")
        }
        guard !isForced else { return }
        var wrong = request.gaps
        var places: [String] = []
        for secret in request.secrets where !places.contains(secret.place) { places.append(secret.place) }
        wrong += places.map { "the secret in the \($0) was not recorded" }
        guard !wrong.isEmpty else { return }
        throw .failed(
            "the request cannot be sent as it was:\n" + wrong.map { "  \($0)" }.joined(separator: "\n"),
            advice: "Send it as it is recorded with --force, or fill in by hand what `shunt export --curl` prints.")
    }
}

/// The recorded answer, and what makes a new one comparable with it.
struct RecordedAnswer {
    /// Bytes of a body that are compared.
    static let bodyLimit = 16 << 20
    let answer: ComparedAnswer
    private let redactor: Redactor?

    /// Nil where the exchange is gone.
    init?(_ reader: TrafficReader, _ id: Int64) throws(CommandFailure) {
        do throws(StoreFailure) {
            let record = try reader.record(id)
            guard let record else { return nil }
            let head = record.clientAnswer ?? record.originAnswer ?? []
            var body: [UInt8] = []
            try reader.body(of: id, .answer) { piece in
                body += piece
                return body.count < Self.bodyLimit
            }
            let state = record.answerBody
            answer = ComparedAnswer(
                status: record.summary.exchange.status, fields: HeadText(head).fields, body: body,
                isCut: state.isCut || state.isDropped || state.isUndecodable || body.count >= Self.bodyLimit)
            // What is replaced in one must be replaced in the other: equal secrets get equal digests.
            let isRedacted = !Replacement.all(in: head).isEmpty || !Replacement.all(in: body).isEmpty
            redactor = isRedacted ? try reader.redactionKey().map { Redactor(key: $0) } : nil
        } catch {
            throw .failed("\(error)")
        }
    }

    func comparable(_ replayed: ReplayedAnswer) -> ComparedAnswer {
        guard let redactor else {
            return ComparedAnswer(
                status: replayed.status, fields: HeadText(replayed.head).fields, body: replayed.body,
                isCut: replayed.isCut)
        }
        let fields = HeadText(redactor.redact(head: replayed.head)).fields
        var body = redactor.body(contentType: HeadText(replayed.head).value(of: "Content-Type"))
        return ComparedAnswer(
            status: replayed.status, fields: fields, body: body.redact(replayed.body) + body.finish(),
            isCut: replayed.isCut)
    }
}
