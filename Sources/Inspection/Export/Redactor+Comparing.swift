public import Redaction

extension Redactor {
    /// Redacts a new response like a recorded one: equal secrets get equal digests.
    ///
    /// Nil where the recorded one has its secrets in clear, for then the new one may show them, too.
    public static func comparing(head: [UInt8], body: [UInt8], key: [UInt8]?) -> Redactor? {
        guard let key else { return nil }
        let redactor = Redactor(key: key)
        guard Replacement.all(in: head).isEmpty, Replacement.all(in: body).isEmpty else { return redactor }
        let fields = HeadText(head)
        var redaction = redactor.body(
            contentType: fields.value(of: "Content-Type"), contentRange: fields.value(of: "Content-Range"))
        let isInClear = redactor.redact(head: head) != head || redaction.redact(body) + redaction.finish() != body
        return isInClear ? nil : redactor
    }
}
