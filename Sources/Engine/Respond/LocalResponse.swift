import Bytes
import Exchanges
import HTTP
import JSON
import Profiles
import Rewriting

/// A response that Shunt makes itself: a mock, a redirect, an error page, a ``Handler``'s.
struct LocalResponse: Sendable {
    let status: Int
    /// Field lines with their line ends; without Content-Length and Connection.
    var fields: [UInt8] = []
    var body: [UInt8] = []
    /// CORS fields are already present.
    var namesReaders = false
}

extension LocalResponse {
    init(_ status: Int, _ fields: String, _ body: String = "") {
        self.init(status: status, fields: Array(fields.utf8), body: Array(body.utf8))
    }

    /// - Parameter dropping: fields that a step writes.
    init(_ mock: MockResponse, body: [UInt8], dropping: FieldNameSet) {
        let headers = mock.headers.filter { Self.isKept($0.name, dropping: dropping) }
        let names = (headers.map(\.name) + mock.filledHeaders.map(\.name)).filter {
            Self.isKept($0, dropping: dropping)
        }
        self.init(mock.status, headers.map { "\($0.name): \($0.value)\r\n" }.joined())
        self.body = body
        namesReaders = names.contains { Self.name($0) == .accessControlAllowOrigin }
    }

    /// CORS extends an existing Vary.
    static func isKept(_ name: String, dropping: FieldNameSet) -> Bool {
        Self.name(name) == .vary || !dropping.contains(Self.name(name))
    }

    private static func name(_ name: String) -> FieldName { FieldName.lookup(ContiguousArray(name.utf8).span) }

    /// RFC 9110 6.4.1: these have no body, even if fields announce one.
    static func mayHaveBody(_ status: Int) -> Bool { status >= 200 && status != 204 && status != 304 }
}

extension Request {
    /// The field lines that let a page read a response of Shunt's own; none where its route does not name pages.
    ///
    /// - Parameter rules: of the route that responds, where the one that the request came to has none.
    func corsFields(or rules: CORSRules? = nil) -> [UInt8] {
        guard let cors = cors ?? rules else { return [] }
        let bytes = bytes
        var fields = Buffer(capacity: 16 << 10)
        let fits = cors.appendResponse(
            requestFields: head.fields, from: bytes, responseFields: [], from: bytes, to: &fields)
        return fits ? Array(fields.unsafeBytes) : []
    }

    /// For a page load, a browser's Accept begins with HTML.
    var wantsHTML: Bool { accepts("text/html") }

    /// Programs that read errors ask for RFC 9457.
    var wantsProblem: Bool { accepts("application/problem+json") }

    /// Whether Accept begins with a type.
    private func accepts(_ type: String) -> Bool {
        head.field(.accept).map { array($0.value).starts(with: type.utf8) } ?? false
    }
}

extension LocalResponse {
    /// An error page with the failure and the next step.
    static func failure(_ failure: EngineFailure, wantsHTML: Bool, wantsProblem: Bool = false) -> LocalResponse {
        var fields = "Shunt-Answered-By: shunt; error=\(failure.side.rawValue)-\(failure.stage.rawValue)\r\n"
        fields += "Cache-Control: no-store\r\n"
        // RFC 9110 11.7.1.
        if failure.status == 407 { fields += "Proxy-Authenticate: Basic realm=\"shunt\", charset=\"UTF-8\"\r\n" }
        // RFC 9110 15.5.6: of this one the server itself.
        if failure.status == 405 { fields += "Allow: \(HopLimitResponder.allowed)\r\n" }
        if case .starting = failure.kind { fields += "Retry-After: 1\r\nRefresh: 1\r\n" }
        // RFC 9110 15.5.22.
        if failure.status == 426 { fields += "Upgrade: websocket\r\n" }
        let title = "\(failure.status) \(reasonPhrase(for: failure.status))"
        if case .guarded(let profiles) = failure.kind { return .problem(failure, profiles, fields: fields) }
        if failure.status == 429 { fields += "Retry-After: 1\r\n" }
        if wantsProblem || failure.status == 429 { return .problem(failure, fields: fields) }
        let body: String
        if wantsHTML {
            fields += "Content-Type: text/html; charset=utf-8\r\n"
            let advice = failure.advice.map { "<p>\(PageStyle.text($0))</p>" } ?? ""
            body = PageStyle.page(
                title: title,
                "<h1>\(title)</h1><p>shunt: \(PageStyle.text(failure.message))</p>\(advice)",
                more: "h1{color:var(--red)}p{white-space:pre-wrap}")
        } else {
            fields += "Content-Type: text/plain; charset=utf-8\r\n"
            body = "\(title)\nshunt: \(failure.message)\n" + (failure.advice.map { $0 + "\n" } ?? "")
        }
        return LocalResponse(failure.status, fields, body)
    }

    /// RFC 9457, for programs that ask for it, and for those that were refused.
    ///
    /// - Parameter locked: production profiles that would have been changed.
    private static func problem(_ failure: EngineFailure, _ locked: [String] = [], fields: String) -> LocalResponse {
        var writer = JSONWriter(style: .pretty)
        writer.object {
            $0.member("title", locked.isEmpty ? "\(reasonPhrase(for: failure.status))" : "Read-only")
            $0.member("status", failure.status)
            $0.member("detail", failure.message)
            if !locked.isEmpty {
                $0.member("profile", locked.joined(separator: ", "))
                $0.member("unlock", Locks.commands(toUnlock: locked).joined(separator: " && "))
            } else if failure.fixes.isEmpty {
                $0.member("advice", failure.advice)
            } else {
                $0.member("fixes", failure.fixes)
            }
        }
        return LocalResponse(
            failure.status, fields + "Content-Type: application/problem+json\r\n", writer.text + "\n")
    }
}

/// Sends what Shunt itself has for a route: named as the route's, and readable for the pages that the route names.
struct LocalSender: Sendable {
    /// The kind of response in a word, for the log.
    private let kind: String
    private let answeredBy: [UInt8]
    private let cors: CORSRules?

    init(_ kind: String, of route: Route, in profile: Profile) {
        self.kind = kind
        answeredBy = RoutePlan.answeredBy(route, in: profile, more: "; \(kind)")
        cors = route.cors.map { CORSRules($0) }
    }

    /// The field lines behind those of a response.
    func extra(_ exchange: ClientExchange) -> [UInt8] {
        exchange.answeredBy(answeredBy) + exchange.request.corsFields(or: cors)
    }

    /// A response is about to be sent; throws where the chain's next candidate is asked instead of one with its status.
    ///
    /// - Parameter what: responds, for the chain.
    func begin(
        _ status: Int, in exchange: ClientExchange, _ step: ChainStep? = nil, of what: String = ""
    ) throws(EngineFailure) {
        try step.decline(status, of: what)
        exchange.metrics.willRespond(as: kind)
        if let buffered = exchange.body.buffered { exchange.metrics.bytes.request = UInt64(buffered.bytes.count) }
    }

    /// Sends a response.
    func send(
        _ response: LocalResponse, in exchange: ClientExchange, _ step: ChainStep? = nil, of what: String = ""
    ) async throws(EngineFailure) {
        try begin(response.status, in: exchange, step, of: what)
        await exchange.respond(
            response, extra: response.namesReaders ? exchange.answeredBy(answeredBy) : extra(exchange))
    }
}
