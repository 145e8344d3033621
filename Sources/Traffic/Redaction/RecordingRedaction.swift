import Bytes

/// Redaction as the store asks for it.
struct RecordingRedaction: RecordingFilter {
    let redactor: Redactor

    func redact(url: String) -> String { redactor.redact(url: url) }
    func redact(head: ArraySlice<UInt8>) -> [UInt8] { redactor.redact(head: Array(head)) }
    func redact(trailers: ArraySlice<UInt8>) -> [UInt8] { redactor.redact(fields: Array(trailers)) }

    func redact(message: ArraySlice<UInt8>, isText: Bool) -> [UInt8] {
        redactor.redact(message: Array(message), isText: isText)
    }

    func bodyFilter(contentType: ArraySlice<UInt8>?) -> (any BodyFilter)? {
        BodyFilterOfType(redaction: redactor.body(contentType: contentType.map { String(decoding: $0, as: UTF8.self) }))
    }
}

private struct BodyFilterOfType: BodyFilter {
    var redaction: BodyRedaction

    mutating func filter(_ piece: ArraySlice<UInt8>) -> [UInt8] { redaction.redact(Array(piece)) }
    mutating func finish() -> [UInt8] { redaction.finish() }
}

extension StoreSettings {
    /// Replaces secrets before anything is written.
    public mutating func redact(_ rules: RedactionRules = RedactionRules()) {
        filter = { key in RecordingRedaction(redactor: Redactor(key: key, rules: rules)) }
    }
}
