import Admin
import Inspection
import Redaction
import Store

/// Asks two profiles the same, the first one twice.
struct DiffClient {
    /// What came of one request.
    enum Outcome {
        case compared(AnswerComparison, statuses: (first: Int, other: Int))
        /// Shunt has no answer of a profile's, for this reason.
        case unanswered(profile: String, reason: String)
    }

    let settings: DiffSettings
    private let first: ReplayClient
    private let other: ReplayClient
    private let redactor: Redactor?

    init(_ settings: DiffSettings, _ port: UInt16, _ reader: TrafficReader) throws(CommandFailure) {
        self.settings = settings
        first = ReplayClient(port: port, profile: settings.first)
        other = ReplayClient(port: port, profile: settings.other)
        do throws(StoreFailure) {
            redactor = try reader.redactionKey().map { Redactor(key: $0) }
        } catch {
            throw .reading(error)
        }
    }

    func compare(_ request: RecordedRequest) throws(CommandFailure) -> Outcome {
        var answers: [ReplayedAnswer] = []
        for (client, profile) in [(first, settings.first), (first, settings.first), (other, settings.other)] {
            do throws(ReplayFailure) {
                let answer = try client.send(request)
                if let reason = failure(answer) { return .unanswered(profile: profile, reason: reason) }
                answers.append(answer)
            } catch {
                throw .failed(error.message)
            }
        }
        let compared = answers.map { comparable($0) }
        return .compared(
            AnswerComparison(compared[0], again: compared[1], compared[2], ignoring: settings.ignored),
            statuses: (answers[0].status, answers[2].status))
    }

    /// What Shunt says where it could not get an answer.
    private func failure(_ answer: ReplayedAnswer) -> String? {
        let by = HeadText(answer.head).value(of: "Shunt-Answered-By") ?? ""
        guard by.hasPrefix("shunt; error=") else { return nil }
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").prefix(2)
        let text = lines.joined(separator: ": ")
        return redactor?.redact(text: text) ?? text
    }

    /// Secrets are replaced as in the store, for what differs is shown; equal ones stay equal.
    private func comparable(_ answer: ReplayedAnswer) -> ComparedAnswer {
        guard let redactor else {
            return ComparedAnswer(
                status: answer.status, fields: HeadText(answer.head).fields, body: answer.body, isCut: answer.isCut)
        }
        let head = HeadText(answer.head)
        var body = redactor.body(
            contentType: head.value(of: "Content-Type"), contentRange: head.value(of: "Content-Range"))
        return ComparedAnswer(
            status: answer.status, fields: HeadText(redactor.redact(head: answer.head)).fields,
            body: body.redact(answer.body) + body.finish(), isCut: answer.isCut)
    }
}
