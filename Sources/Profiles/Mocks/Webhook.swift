import Bytes
import HTTP
import JSON

/// A request that Shunt sends after a mock's response.
public struct Webhook: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        case template(MockTemplate)
    }

    package var method = "POST"
    package var isTLS = false
    /// Normalised.
    package var host = ""
    package var port: UInt16 = 80
    /// Path and query.
    package var target = "/"
    /// Content-Type among them, where there is a body.
    package var headers: [(name: String, value: String)] = []
    package var body = Content.bytes([])
    package var delay: MockDelay?
    /// Attempts after the first one.
    package var retries = 2
    /// Where the key of its signature is; nil without one.
    package var secret: TokenSettings.SecretPlace?
    /// The field with the signature.
    package var signatureField = "X-Hub-Signature-256"

    package var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
    }

    package var url: String { "\(isTLS ? "https" : "http")://\(authority)\(target)" }
}

extension Webhook {
    /// Fields that Shunt writes itself.
    private static let own = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "trailer", "te", "expect",
        "shunt-profile", "shunt-session", "shunt-webhook",
    ]

    /// Reads what a mock has under `then`; nil without it, and after a report.
    static func decode(_ mock: Fields, _ path: PathPattern) -> Webhook? {
        guard let fields = mock.fields("then", Mock.webhookKeys) else { return nil }
        var hook = Webhook()
        guard let value = fields["url"] else {
            return fields.refuse(
                fields.place, "\"then\" without \"url\"", expected: "a URL like \"http://localhost:3000/hook\"")
        }
        guard let text = fields.string("url") else { return nil }
        let isRead = fields.reporter.attempt(value.position) { () throws(Refusal) in
            try hook.read(url: text)
            return true
        }
        Mock.webhookKeys.read(fields, into: &hook)
        hook.readHeaders(fields)
        hook.readBody(fields, path)
        hook.delay = decodeDelay(fields)
        return isRead == nil ? nil : hook
    }

    private mutating func read(url: String) throws(Refusal) {
        let expected = "a URL like http://localhost:3000/hook?source=shunt"
        guard !url.contains("{{") else {
            throw Refusal(
                message: "the URL of \"then\" has a place to be filled", expected: expected,
                hint: "requests must not say where Shunt sends others")
        }
        let front = url.prefix { $0 != "?" && $0 != "#" }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.contains("#") else {
            throw Refusal(message: "the URL \"\(url)\" cannot be sent", expected: expected)
        }
        let origin = try OriginURL(parsing: String(front))
        guard !origin.isHTTP2 else {
            throw Refusal(message: "the URL \"\(url)\" has the scheme h2c", expected: "http or https")
        }
        (isTLS, host, port) = (origin.isTLS, origin.host, origin.port)
        let start = front.firstRange(of: "://")?.upperBound ?? front.startIndex
        let path = front[start...].drop { $0 != "/" }
        target = (path.isEmpty ? "/" : String(path)) + url[front.endIndex...]
    }

    private mutating func readHeaders(_ fields: Fields) {
        for member in fields.object("headers") {
            guard isToken(member.key), !Self.own.contains(member.key.lowercased()) else {
                fields.report(
                    member, "\"then\" sets \"\(member.key)\"", expected: "a field that Shunt does not write itself")
                continue
            }
            guard let text = member.value.string, isFieldValue(text) else {
                fields.report(
                    member.value, "the value of \"\(member.key)\" cannot be sent",
                    expected: "a string without control characters")
                continue
            }
            headers.append((member.key, text))
        }
    }

    private mutating func readBody(_ fields: Fields, _ path: PathPattern) {
        let given = ["json", "text"].compactMap { fields.member($0) }
        guard given.count < 2 else {
            return fields.report(given[1], "\"json\" and \"text\"", expected: "one of them")
        }
        let isTemplate = fields.bool("template") == true
        let own = headers.first { $0.name.lowercased() == "content-type" }?.value
        var type = "application/json"
        if let json = fields["json"] {
            let parser = TemplateParser(path: path, form: .jsonText)
            body =
                isTemplate
                ? .template(TemplateJSON.template(json, parser, fields.reporter)) : .bytes(JSONLiteral(json).text)
        } else if let value = fields["text"], let text = fields.string("text") {
            type = "text/plain; charset=utf-8"
            let parser = TemplateParser(path: path, form: .of(type: own ?? type))
            body =
                isTemplate
                ? .template(parser.template(text, at: value.position, fields.reporter) ?? MockTemplate(parts: []))
                : .bytes(Array(text.utf8))
        } else {
            return
        }
        if own == nil { headers.append(("Content-Type", type)) }
    }
}
