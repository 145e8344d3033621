import Bytes

/// Replaces secrets by `<redacted:name:digest>` before anything is written down.
///
/// The name is that of the field, cookie, parameter or member, or `bearer`, `jwt`, `userinfo` or `body`; the digest is
/// ten hexadecimal digits of an HMAC-SHA256 over the value without its escapes, so that equal values look equal
/// everywhere under one key. A value that is empty, `null`, `true` or `false` stays.
public struct Redactor: Sendable {
    let core: RedactionCore

    /// The key is the store's own; with it guesses of short values can be tested.
    public init(key: [UInt8], rules: RedactionRules = RedactionRules()) {
        core = RedactionCore(names: SecretNames(rules), digest: KeyedDigest(key: key), keepsClaims: rules.keepJWTClaims)
    }

    /// A whole head: a request or status line, and field lines.
    ///
    /// Credentials keep their scheme, cookies their names and attributes. All other bytes stay unchanged.
    public func redact(head: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(head.count + 256)
        HeadRedaction(core: core).redact(head, into: &out)
        OwnSecrets.table?.replace(inHead: &out, from: 0, core)
        return out
    }

    /// The same for an array.
    public func redact(head: [UInt8]) -> [UInt8] { head.withSpan { redact(head: $0) } }

    /// Field lines without a start line, as in a trailer section.
    public func redact(fields: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(fields.count + 256)
        fields.withSpan { HeadRedaction(core: core).redactFields($0, from: 0, into: &out) }
        return withoutOwn(out)
    }

    /// A URL, absolute or relative, or a request target.
    public func redact(url: String) -> String {
        let bytes = Array(url.utf8)
        var out: [UInt8] = []
        bytes.withSpan { URLRedaction(core: core).redact($0, 0..<bytes.count, into: &out) }
        return String(decoding: withoutOwn(out, .escaped), as: UTF8.self)
    }

    /// A text that may quote any bytes: a failure's message, or a reason.
    public func redact(text: String) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        bytes.withSpan { TextRedaction(core: core).redact($0, 0..<bytes.count, into: &out) }
        return String(decoding: withoutOwn(out), as: UTF8.self)
    }

    private func withoutOwn(_ text: [UInt8], _ style: SecretValue.Style = .plain) -> [UInt8] {
        guard let table = OwnSecrets.table else { return text }
        var out = text
        _ = table.replace(in: &out, from: 0, style, core)
        return out
    }

    /// A name that something is asked for by and that is none of those that there are: replaced if it looks like a
    /// credential.
    public func redact(unknownName name: String) -> String {
        let bytes = Array(name.utf8)
        guard ValueLook.isStray(bytes.span) else { return redact(text: name) }
        var out: [UInt8] = []
        core.replace(bytes.span, name: "name", into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// A WebSocket message, or the data of a Server-Sent Event.
    ///
    /// Text is read as JSON, also with other text around it. A binary message passes unless it begins as JSON does.
    public func redact(message: [UInt8], isText: Bool) -> [UInt8] {
        var body = body(contentType: isText ? "application/json" : "application/octet-stream")
        var out: [UInt8] = []
        out.reserveCapacity(message.count + 64)
        message.withSpan { body.redactAll($0, into: &out) }
        return out
    }

    /// The reader of a body of this Content-Type; nil or empty when the message has none.
    ///
    /// - Parameter contentRange: the field that says where a part of a body begins.
    public func body(contentType: String?, contentRange: String? = nil) -> BodyRedaction {
        let isInside = contentRange.map { PartialBody.beginsInside(contentRange: $0.utf8) } ?? false
        let type = contentType.map { Array($0.utf8) } ?? []
        return BodyRedaction(contentType: isInside ? type + PartialBody.mark : type, core: core)
    }
}
