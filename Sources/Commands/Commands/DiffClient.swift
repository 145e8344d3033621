import Admin
import Inspection
import Redaction
import Store

/// Asks two profiles the same, the first one twice.
struct DiffClient {
    /// What came of one request.
    enum Outcome {
        case compared(ResponseComparison, statuses: (first: Int, other: Int))
        /// Shunt has no response of a profile's, for this reason.
        case withoutResponse(profile: String, reason: String)
    }

    let settings: DiffSettings
    private let first: ReplayClient
    private let other: ReplayClient
    private let redactor: Redactor?

    init(_ settings: DiffSettings, _ port: UInt16, _ reader: TrafficReader) throws {
        self.settings = settings
        first = ReplayClient(port: port, profile: settings.first)
        other = ReplayClient(port: port, profile: settings.other)
        redactor = try reader.redactionKey().map { Redactor(key: $0) }
    }

    func compare(_ request: RecordedRequest) throws -> Outcome {
        var responses: [ReplayedResponse] = []
        for (client, profile) in [(first, settings.first), (first, settings.first), (other, settings.other)] {
            let response = try client.send(request)
            if let reason = response.failure {
                let text = redactor?.redact(text: reason) ?? reason
                return .withoutResponse(profile: profile, reason: text)
            }
            responses.append(response)
        }
        let compared = responses.map { $0.comparable(redactor) }
        return .compared(
            ResponseComparison(compared[0], again: compared[1], compared[2], ignoring: settings.ignored),
            statuses: (responses[0].status, responses[2].status))
    }
}

extension ReplayedResponse {
    /// What Shunt says where it could not get a response; nil where it got one.
    var failure: String? {
        let by = HeadText(head).value(of: "Shunt-Answered-By") ?? ""
        guard by.hasPrefix("shunt; error=") else { return nil }
        return String(decoding: body, as: UTF8.self).split(separator: "\n").prefix(2).joined(separator: ": ")
    }
}
