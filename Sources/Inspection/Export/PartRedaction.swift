import Exchanges
import Redaction
import Store

/// Replaces the secrets in the parts of an exchange.
struct PartRedaction {
    let redactor: Redactor

    init(_ redactor: Redactor) { self.redactor = redactor }

    func redact(
        _ bytes: [UInt8], _ kind: RecordedPiece.Part.Kind, _ heads: (request: HeadText?, response: HeadText?)
    ) -> [UInt8] {
        switch kind {
        case .clientRequest, .originRequest, .originResponse, .clientResponse: return redactor.redact(head: bytes)
        case .requestTrailers, .responseTrailers: return redactor.redact(fields: bytes)
        case .requestBody, .originRequestBody: return redact(bytes, of: heads.request)
        case .responseBody, .originResponseBody: return redact(bytes, of: heads.response)
        case .eventType, .eventID: return redact(text: bytes[...])
        case .message(let facts):
            // A status code in front of words (RFC 6455 5.5.1).
            switch facts.kind {
            case .close: return bytes.prefix(2) + redact(text: bytes.dropFirst(2))
            case .error: return redact(text: bytes[...])
            case .text, .event: return redactor.redact(message: bytes, isText: true)
            case .binary, .ping, .pong: return redactor.redact(message: bytes, isText: false)
            }
        }
    }

    private func redact(text: ArraySlice<UInt8>) -> [UInt8] {
        Array(redactor.redact(text: String(decoding: text, as: UTF8.self)).utf8)
    }

    private func redact(_ bytes: [UInt8], of head: HeadText?) -> [UInt8] {
        var body = redactor.body(
            contentType: head?.value(of: "Content-Type"), contentRange: head?.value(of: "Content-Range"))
        return body.redact(bytes) + body.finish()
    }
}
