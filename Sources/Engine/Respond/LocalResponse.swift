import Bytes
import HTTP
import JSON
import Profiles
import Rewriting

/// A response that Shunt makes itself: a mock, a redirect, an error page, a ``Handler``'s.
struct LocalResponse: Sendable {
    let status: Int
    /// Field lines with their line ends; without Content-Length and Connection.
    let fields: [UInt8]
    let body: [UInt8]
    /// CORS fields are already present.
    let namesReaders: Bool

    init(status: Int, fields: [UInt8], body: [UInt8]) {
        namesReaders = false
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The same with another body, and more field lines.
    init(_ other: LocalResponse, body: [UInt8], adding lines: [UInt8] = []) {
        (status, namesReaders) = (other.status, other.namesReaders)
        fields = lines.isEmpty ? other.fields : other.fields + lines
        self.body = body
    }

    /// The same with other field lines, of the same names.
    init(_ other: LocalResponse, fields: [UInt8]) {
        (status, namesReaders, body) = (other.status, other.namesReaders, other.body)
        self.fields = fields
    }

    /// - Parameter dropping: fields that a step writes.
    init(_ mock: MockResponse, body: [UInt8], dropping: FieldNameSet) {
        status = mock.status
        let headers = mock.headers.filter { Self.isKept($0.name, dropping: dropping) }
        let names = (headers.map(\.name) + mock.filledHeaders.map(\.name)).filter {
            Self.isKept($0, dropping: dropping)
        }
        namesReaders = names.contains { Self.name($0) == .accessControlAllowOrigin }
        fields = Array(headers.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
        self.body = body
    }

    /// - Parameter dropping: fields that a step writes.
    init(status: Int, headers: [(name: String, value: String)], body: [UInt8], dropping: FieldNameSet) {
        self.status = status
        let headers = headers.filter { Self.isKept($0.name, dropping: dropping) }
        namesReaders = headers.contains { Self.name($0.name) == .accessControlAllowOrigin }
        fields = Array(headers.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
        self.body = body
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
        let title = "\(failure.status) \(reasonPhrase(for: failure.status))"
        if case .guarded(let profiles) = failure.kind { return .problem(failure, profiles, fields: fields) }
        if failure.status == 429 {
            return .problem(failure, fields: fields + "Retry-After: 1\r\n")
        }
        if wantsProblem { return .problem(failure, fields: fields) }
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
        return LocalResponse(status: failure.status, fields: Array(fields.utf8), body: Array(body.utf8))
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
                $0.member("unlock", EngineFailure.unlocking(locked).joined(separator: " && "))
            } else if failure.fixes.isEmpty {
                $0.member("advice", failure.advice)
            } else {
                $0.member("fixes", failure.fixes)
            }
        }
        return LocalResponse(
            status: failure.status, fields: Array((fields + "Content-Type: application/problem+json\r\n").utf8),
            body: writer.bytes + [UInt8(ascii: "\n")])
    }
}
