import Bytes
import HTTP
import Rewriting
import Testing

/// What clients may store, and which of their validators an origin sees.
@Suite struct CacheRulesTests {
    static let rules = CacheRules(.apart, environment: "local")
    static let none = CacheRules(.never, environment: "local")
    /// The mark of the environment `local`, and that of another one.
    static let (own, other) = ("shunt-9c436708", "shunt-0badc0de")
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// What a response's fields become.
    private static func response(_ lines: [String], _ rules: CacheRules, status: Int, isRewritten: Bool = false) throws
        -> [String]
    {
        let text = "HTTP/1.1 200 OK\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        var head = ResponseHead()
        return try Array(text.utf8).withSpan { bytes throws in
            _ = try head.parse(bytes, to: .get, limits: HeadLimits())
            guard let replaced = rules.replacedFields(of: head.names, status: status) else { return lines }
            var out = Buffer(capacity: 4096)
            let fits = rules.append(head.fields, bytes, status: status, isRewritten: isRewritten, to: &out)
            #expect(fits)
            let rest = head.fields.filter { !replaced.contains($0.id) }.map { field in
                String(decoding: field.line.map { bytes[$0] }, as: UTF8.self)
            }
            return (rest.joined() + String(decoding: out.unsafeBytes, as: UTF8.self)).split(separator: "\r\n")
                .map(String.init)
        }
    }

    /// Each row: status, the origin's fields, and the client's.
    static let responses: [(Int, [String], [String])] = [
        (200, ["Content-Type: a/b"], ["Content-Type: a/b"]),
        (302, ["Location: /a"], ["Location: /a"]),
        (200, ["ETag: \"v1\""], ["ETag: \"\(own)-v1\"", "Cache-Control: no-cache"]),
        (304, ["ETag: W/\"v1\""], ["ETag: W/\"\(own)-v1\"", "Cache-Control: no-cache"]),
        (200, ["ETag: v1"], ["ETag: \(own)-v1", "Cache-Control: no-cache"]),
        (200, ["ETag: \"\""], ["ETag: \"\(own)-\"", "Cache-Control: no-cache"]),
        (
            200, ["Last-Modified: \(date)"],
            ["Last-Modified: \(date)", "ETag: \"\(own)@784111777\"", "Cache-Control: no-cache"]
        ),
        (200, ["Last-Modified: yesterday"], ["Last-Modified: yesterday", "Cache-Control: no-cache"]),
        (200, ["Expires: \(date)"], ["Cache-Control: no-cache"]),
        (200, ["Cache-Control: public, max-age=60, immutable"], ["Cache-Control: no-cache, public"]),
        (
            200, ["Cache-Control: Max-Age=60", "Cache-Control: private=\"a, b\", stale-if-error=5"],
            ["Cache-Control: no-cache, private=\"a, b\""]
        ),
        (200, ["Cache-Control: no-store", "ETag: \"a\""], ["ETag: \"\(own)-a\"", "Cache-Control: no-store"]),
        (301, ["Location: /a"], ["Location: /a", "Cache-Control: no-store"]),
        (308, ["Cache-Control: max-age=9", "Expires: 0"], ["Cache-Control: no-store"]),
        (307, ["Cache-Control: max-age=9"], ["Cache-Control: no-store"]),
        (410, [], ["Cache-Control: no-cache"]),
    ]

    @Test(arguments: responses)
    func `what a client may store has to be validated, by a tag of its environment`(
        status: Int, sent: [String], seen: [String]
    ) throws {
        #expect(try Self.response(sent, Self.rules, status: status) == seen)
    }

    @Test func `a rewritten body has a weak tag, and nothing is stored where nothing may be`() throws {
        #expect(
            try Self.response(["ETag: \"v1\""], Self.rules, status: 200, isRewritten: true)[0]
                == "ETag: W/\"\(Self.own)-v1\"")
        #expect(
            try Self.response(["ETag: \"v1\"", "Cache-Control: max-age=1"], Self.none, status: 200)
                == ["ETag: \"v1\"", "Cache-Control: no-store"])
    }

    /// The conditions that an origin gets, of a request that has these fields.
    private static func conditions(_ method: String, _ lines: [String], _ rules: CacheRules) throws -> [String] {
        let text = "\(method) / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        var head = RequestHead()
        return try Array(text.utf8).withSpan { bytes throws in
            _ = try head.parse(bytes, limits: HeadLimits())
            guard let changes = rules.conditions(of: head, bytes) else { return lines }
            let rest = head.fields.filter { $0.id != .host && !changes.replaced.contains($0.id) }.map { field in
                String(decoding: field.line.map { bytes[$0] }, as: UTF8.self)
            }
            return (rest.joined() + String(decoding: changes.lines, as: UTF8.self)).split(separator: "\r\n")
                .map(String.init)
        }
    }

    /// Each row: method, the client's fields, and the origin's.
    static let requests: [(String, [String], [String])] = [
        ("GET", ["Accept: */*"], ["Accept: */*"]),
        ("GET", ["If-None-Match: \"\(own)-v1\""], ["If-None-Match: \"v1\""]),
        ("GET", ["If-None-Match: W/\"\(own)-v1\""], ["If-None-Match: W/\"v1\""]),
        ("GET", ["If-None-Match: \(own)-v1"], ["If-None-Match: v1"]),
        ("HEAD", ["If-None-Match: \"\(other)-v1\""], []),
        ("GET", ["If-None-Match: \"\(other)-v1\"", "If-Modified-Since: \(date)"], []),
        (
            "GET", ["If-None-Match: \"\(own)-a,b\", W/\"\(other)-c\"", "If-None-Match: \"d\""],
            ["If-None-Match: \"a,b\", \"d\""]
        ),
        (
            "GET", ["If-None-Match: \"\(own)-v1\"", "If-Modified-Since: \(date)"],
            ["If-Modified-Since: \(date)", "If-None-Match: \"v1\""]
        ),
        ("GET", ["If-None-Match: \"\(own)@784111777\""], ["If-Modified-Since: \(date)"]),
        ("GET", ["If-None-Match: \"\(own)@784111777\"", "If-Modified-Since: x"], ["If-Modified-Since: \(date)"]),
        ("GET", ["If-None-Match: *"], ["If-None-Match: *"]),
        ("GET", ["If-None-Match: \"v1\""], ["If-None-Match: \"v1\""]),
        ("GET", ["If-Modified-Since: \(date)"], []),
        ("GET", ["Range: bytes=1-", "If-Range: \"\(own)-v1\""], ["Range: bytes=1-", "If-Range: \"v1\""]),
        ("GET", ["Range: bytes=1-", "If-Range: \"\(own)@784111777\""], ["Range: bytes=1-", "If-Range: \(date)"]),
        ("GET", ["Range: bytes=1-", "If-Range: \"\(other)-v1\""], []),
        ("GET", ["Range: bytes=1-", "If-Range: \(date)"], []),
        ("GET", ["Range: bytes=1-", "If-Range: \"v1\""], ["Range: bytes=1-", "If-Range: \"v1\""]),
        ("GET", ["Range: bytes=1-"], ["Range: bytes=1-"]),
        ("PUT", ["If-Match: \"\(own)-v1\""], ["If-Match: \"v1\""]),
        ("PUT", ["If-Match: \"\(other)-v1\""], ["If-Match: \"\(other)-v1\""]),
        ("PUT", ["If-Match: *"], ["If-Match: *"]),
        ("PUT", ["If-Match: \"\(own)@784111777\""], ["If-Unmodified-Since: \(date)"]),
        ("PUT", ["If-None-Match: *"], ["If-None-Match: *"]),
        ("PUT", ["If-None-Match: \"\(other)-v1\""], ["If-None-Match: \"\(other)-v1\""]),
        ("PUT", ["If-Unmodified-Since: \(date)"], ["If-Unmodified-Since: \(date)"]),
        ("GET", ["If-None-Match: \"\(own)@99999999999999999999\""], []),
        ("GET", ["If-None-Match: \"\(own)"], ["If-None-Match: \"\(own)"]),
    ]

    @Test(arguments: requests)
    func `an origin sees its own validators, and of others none that would end in 304`(
        method: String, sent: [String], seen: [String]
    ) throws {
        #expect(try Self.conditions(method, sent, Self.rules) == seen)
    }

    @Test func `where nothing may be stored no condition of a cache goes on`() throws {
        let lines = ["If-None-Match: \"a\"", "If-Modified-Since: \(Self.date)", "If-Range: \"a\"", "Range: bytes=1-"]
        #expect(try Self.conditions("GET", lines, Self.none) == [])
        #expect(try Self.conditions("PUT", ["If-Match: \"a\""], Self.none) == ["If-Match: \"a\""])
    }
}
