import Admin
import Inspection
import Store

extension Command {
    static let replay = Command(
        name: "replay",
        summary: "Send a recorded request again, and compare the response with the recorded one.",
        usage: "replay ID [options]",
        details: [
            "The request goes through a running Shunt, as from a client, with the original Host and without compression. "
                + "Fields that differ in every response, such as Date, are marked and not counted.",
            "Exit status 0: the responses are equal, 1: they differ. Shunt itself refuses changes of locked production.",
        ],
        options: [
            .value("profile", "NAME", default: "chosen as for the original", "The profile to send it to."),
            .value("times", "N", default: "1", "How often to send it."),
            .flag("force", "Send it even though secrets or parts of the body were not recorded."),
            .running, .identity, .store, .storeKey, .profiles, .json,
        ],
        examples: [
            ("Is it fixed?", "shunt replay 17"),
            ("And on staging, ten times?", "shunt replay 17 --profile staging --times 10"),
        ], run: ReplayCommand.run)
}

/// What `shunt replay` does.
enum ReplayCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let id = try StoredTraffic.identity(arguments.operands[0])
        let times = try arguments.count("times", in: 1...10_000) ?? 1
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        let request = try reader.request(id)
        try check(request, isForced: arguments.has("force"))
        let original = try RecordedResponse(reader, id)
        guard let original else { throw CommandFailure.exporting(.noSuchExchange(id), nil) }
        let running = try RunningShunt.find(arguments)
        let profile = arguments.text("profile")
        if let profile { try RunningShunt.check([profile], in: running) }
        let client = ReplayClient(port: running.port, profile: profile)
        var report = ReplayReport(id: id, port: running.port, isJSON: arguments.has("json"))
        var progress = Progress(.things("requests")) { Int64(times) }
        for index in 0..<times {
            progress.show(Int64(index))
            let response: ReplayedResponse
            do throws(ReplayFailure) { response = try client.send(request) } catch {
                progress.end()
                throw CommandFailure(error.message)
            }
            progress.makeRoom(isJSON: arguments.has("json"))
            report.add(response, original.response.differences(from: original.comparable(response)))
        }
        progress.end()
        report.finish()
        return report.isEqual ? 0 : 1
    }

    private static func check(_ request: RecordedRequest, isForced: Bool) throws {
        guard !request.isUpgrade else {
            throw CommandFailure("this request asked for another protocol, which cannot be replayed")
        }
        let wrong = request.obstacles
        guard !isForced, !wrong.isEmpty else { return }
        throw CommandFailure(
            "the request cannot be sent as it was:\n" + wrong.map { "  \($0)" }.joined(separator: "\n"),
            advice: "Send it as it is recorded with --force, or fill in by hand what `shunt export --curl` prints.")
    }
}
