import Bytes
import HTTP
import Profiles
import Rewriting
import Synchronization

// Responses that mean that the origin goes by another address than the one it was given.
extension OriginResponse {
    /// Notes what a response says of the addresses in its request, with the key that mends it.
    func noteAdvice() {
        switch memory.response.status {
        case 301, 302, 303, 307, 308: noteRedirect()
        case 400, 401, 403: noteSignature()
        default: return
        }
    }

    private func noteRedirect() {
        let fields = memory.response.fields.filter { $0.id == .location }
        // One that sets a cookie may want to see whether it comes back.
        guard let field = fields.first, fields.count == 1, !memory.response.names.contains(.setCookie) else { return }
        let sent = String(bytes.extracting(field.value))
        let method = exchange.request.head.method
        let isRepeated = method == .get || method == .head || memory.response.status >= 307
        let wantsTLS =
            sent.lowercased().hasPrefix("https://") && exchange.client.isSecure && !use.origin.address.isTLS
        // A server that was told of http does not answer a form with https by itself.
        let isUntold = wantsTLS && ForwardedStep.hidesScheme(in: exchange, use)
        if isRepeated || isUntold, leadsToItself(field, sent) {
            if isUntold { use.findings.wantsTLS.store(true, ordering: .relaxed) }
            exchange.metrics.note(
                ofOrigin: redirectAdvice(wantsTLS: wantsTLS, isUntold: isUntold))
        } else if let host = host(named: sent), !exchange.metrics.changes.contains(.location),
            use.rules.rewritesAddresses, namesOrigin(inQueryOf: sent)
        {
            exchange.metrics.note(
                ofOrigin: "a redirect to \(host) with its own address in the query, to which a login will return past "
                    + "Shunt (\"preserveHost\": true, or a route for \(host))")
        }
    }

    private func redirectAdvice(wantsTLS: Bool, isUntold: Bool) -> String {
        let what = "a redirect to the same URL, which never ends"
        if isUntold {
            return
                "a redirect of a form to https (from now on it is told that pages use https; \"forwarded\": true does "
                + "so from the start)"
        }
        if wantsTLS {
            return what
                + (use.forwards
                    ? " (it wants https, and does not heed X-Forwarded-Proto: have it trust its proxy)"
                    : " (it wants https: \"forwarded\": true tells it that the client uses it)")
        }
        return what
            + (use.preserveHost
                ? " (\"preserveHost\": false gives it its own Host)"
                : " (if it wants the Host that clients use: \"preserveHost\": true)")
    }

    /// Whether a client finds its own request's URL in the Location.
    private func leadsToItself(_ field: Field, _ sent: String) -> Bool {
        let (head, own) = (exchange.request.head, exchange.headBytes)
        var line = Buffer(capacity: field.line.count + 2048)
        var changes: RewriteChanges = []
        guard
            use.rules(for: exchange).append(
                responseField: field, from: bytes, authority: own.extracting(head.authority),
                client: ClientName(exchange), to: &line, changes: &changes)
        else { return false }
        let text = String(decoding: line.unsafeBytes, as: UTF8.self)
        let value = text.drop { $0 != ":" }.dropFirst().drop { $0 == " " }.prefix { $0 != "#" && !$0.isNewline }
        let target = String(own.extracting(head.pathAndQuery))
        let path = target.isEmpty ? "/" : target
        let site = (exchange.client.isSecure ? "https://" : "http://") + String(own.extracting(head.authority))
        if value == path { return true }
        guard value.count >= site.count, value.prefix(site.count).lowercased() == site.lowercased() else {
            return false
        }
        let rest = value.dropFirst(site.count)
        return rest == path || rest.isEmpty && path == "/"
    }

    /// The host of an absolute URL.
    private func host(named url: String) -> Substring? {
        guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else { return nil }
        return url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    private func namesOrigin(inQueryOf url: String) -> Bool {
        let authority = use.origin.address.authority
        guard let query = url.firstIndex(of: "?") else { return false }
        let text = String(decoding: FormCoding.decoded(Array(url[query...].utf8)), as: UTF8.self)
        return text.lowercased().contains("//" + authority.lowercased())
    }

    private func noteSignature() {
        guard !use.preserveHost else { return }
        let (head, own, status) = (exchange.request.head, exchange.headBytes, memory.response.status)
        let authorization = head.field(.authorization).map { String(own.extracting($0.value)) } ?? ""
        let query = String(own.extracting(head.query)).lowercased()
        if status != 401, authorization.hasPrefix("AWS4-") || query.contains("x-amz-signature=") {
            exchange.metrics.note(
                ofOrigin: "\(status) to a request whose signature covers Host, which Shunt replaces "
                    + "(\"preserveHost\": true keeps it)")
        } else if status == 401, authorization.lowercased().hasPrefix("bearer "),
            let field = memory.response.field(.wwwAuthenticate),
            String(bytes.extracting(field.value)).contains("invalid_token")
        {
            exchange.metrics.note(
                ofOrigin: "401 invalid_token (if the token names another issuer than the origin expects: "
                    + "\"preserveHost\": true gives both the address that clients use)")
        }
    }
}
