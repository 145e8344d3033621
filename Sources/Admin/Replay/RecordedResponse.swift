import Exchanges
public import Inspection
package import Redaction
public import Store

/// The recorded response, and the redaction that makes a new one comparable.
public struct RecordedResponse: Sendable {
    /// Bytes of a body that are compared.
    package static let bodyLimit = 16 << 20
    public let response: ComparedResponse
    private let redactor: Redactor?

    /// Nil if the exchange was removed.
    public init?(_ reader: TrafficReader, _ id: Int64) throws(StoreFailure) {
        let record = try reader.record(id)
        guard let record else { return nil }
        let head = record.clientResponse ?? record.originResponse ?? []
        var body: [UInt8] = []
        try reader.body(of: id, .response) { piece in
            body += piece
            return body.count < Self.bodyLimit
        }
        let state = record.responseBody
        response = ComparedResponse(
            status: record.summary.exchange.status, fields: HeadText(head).fields, body: body,
            isCut: state.isCut || state.isDropped || state.isUndecodable || body.count >= Self.bodyLimit)
        // Secrets must be replaced in both: equal ones get equal digests.
        redactor = .comparing(head: head, body: body, key: try reader.redactionKey())
    }

    /// The new response, redacted like the recorded one.
    public func comparable(_ replayed: ReplayedResponse) -> ComparedResponse { replayed.comparable(redactor) }
}

extension ReplayedResponse {
    /// With secrets replaced as in the store, for what differs is shown; equal ones stay equal.
    package func comparable(_ redactor: Redactor?) -> ComparedResponse {
        let text = HeadText(head)
        guard let redactor else {
            return ComparedResponse(status: status, fields: text.fields, body: body, isCut: isCut)
        }
        var clean = redactor.body(
            contentType: text.value(of: "Content-Type"), contentRange: text.value(of: "Content-Range"))
        return ComparedResponse(
            status: status, fields: HeadText(redactor.redact(head: head)).fields,
            body: clean.redact(body) + clean.finish(), isCut: isCut)
    }
}
