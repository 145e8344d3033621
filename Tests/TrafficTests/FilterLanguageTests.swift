import Filter
import Foundation
import Testing

@Suite struct FilterLanguageTests {
    private static let terms: [(String, Bool)] = [
        // Hosts: a dot is a dot, unless it is repeated.
        ("~d api.shop.test", true), ("~d API.Shop", true), ("~d apixshop", false), ("~d 'api.+test'", true),
        ("~d ^shop", false), (#"~d ^api\.shop\.test$"#, true), ("~d 'api|www'", true), ("~d api|www", true),
        ("~d a.i", false), ("~d ''", true), ("~d\"shop\"", true), ("~d other.test", false),
        // URLs, with an operator or alone.
        ("~u /v1/cart", true), ("/v1/cart", true), ("'/v1/cart'", true), (#""q=1""#, true), ("q=1&r=2", true),
        ("q=2|r=2", true), (#"cart\?q"#, true), ("cart?q", false), ("/v(1|2)/", true), ("[(]|cart", true),
        ("a.i.shop", true), ("~u ^https:.*2$", true),
        // Methods and statuses.
        ("~m get", true), ("~m ^G", true), ("~m post", false), ("~c 200", true), ("~c 2xx", true), ("~c 2XX", true),
        ("~c 200-299", true), ("~c 201-299", false), ("~c 404", false),
        // Fields, one at a time, with one space after the colon.
        ("~h nginx", true), ("~h 'content-type: .*json'", true), ("~h '^server: nginx$'", true),
        ("~h 'x-trace: abc$'", true), ("~h 'HTTP/1.1'", false), ("~h test.*x-trace", false), ("~hq nginx", false),
        ("~hs nginx", true), ("~hq ^host:", true), ("~hs ^host:", false), ("~h ''", true),
        // Bodies, across their pieces.
        ("~b name", true), (#"~b '"name":"tea"'"#, true), (#"~b 'NA\w+.*tea'"#, true), ("~bs tea", true),
        ("~bq tea", false), ("~b coffee", false), (#"~b '^\{.items'"#, true), (#"~b '\}\n$'"#, true), ("~bq ''", false),
        // Media types.
        ("~t json", true), ("~ts ^application/json$", true), ("~tq json", false), ("~t charset", false),
        // Addresses.
        ("~src 127.0.0.1", true), ("~src ^127.0.0.1$", true), ("~src ^127.0.0.1:50000$", true), ("~src :50000", true),
        ("~src 127x0", false), ("~dst stage.shop.test", true), ("~dst ^10.0.0.7:", true), ("~dst 127.0.0.1", false),
        ("~app python3", true), ("~app '^python3 tests.py$'", true), ("~app TESTS.PY", true), ("~app curl", false),
        ("~session 7c0ffee1", true), ("~session 7c0ffee", false), ("~session other", false),
        ("~app testsxpy", false), ("!~app python3", false),
        // What there was.
        ("~e", false), ("~q", false), ("~s", true), ("~a", false), ("~http", true), ("~websocket", false),
        ("~all", true), ("~mock", false), ("~bridge", false), ("~fault", false), ("~network", false),
        ("~stale", false), ("~contract", false),
        ("~push", false), ("~reason bad", false), ("~grpc x", false), ("~grpcstatus 0-99", false),
        // Names are whole, routes are plain text.
        ("~env staging", true), ("~env stag", false), ("~env 'stag.*'", true), ("~env local|Staging", true),
        ("~env 'a|b'", false), ("~trust default", true), ("~trust disabled", false), ("~route v1/*", true),
        ("~route 'SHOP.test/v1/*'", true), ("~route v.", false), (#"~route v1\/\*"#, true),
        // Numbers and times.
        ("~slow 20ms", true), ("~slow 0.02s", true), ("~slow 20001us", false), ("~slow 1m", false), ("~id 1", true),
        ("~id 2", false), ("~id 3,1", true), ("~id 0-5", true), ("~id 2,3-9", false), ("~since 1h", true),
        ("~since 30m", false), ("~since 0.75h", true),
        ("~since 2001-09-09T01:46:40Z", true), ("~since 2001-09-09T01:46:40.000001Z", false),
        ("~since 2001-09-09T03:46:40.0+02:00", true), ("~since 2001-09-08T20:46:41-05:00", false),
        ("~since 2000-02-29t00:00:00z", true), ("~since 1999-12-31T23:59:60Z", true),
    ]

    @Test(arguments: terms)
    func `a term finds`(text: String, isFound: Bool) throws {
        let filter = try TrafficFilter(text, now: 1_000_000_000_000_000 + 45 * 60_000_000)
        #expect(filter.matches(Subject()) == isFound)
        #expect(
            try TrafficFilter("!(\(text))", now: 1_000_000_000_000_000 + 45 * 60_000_000).matches(Subject()) != isFound)
    }

    @Test(arguments: ["", "  "])
    func `without a term, everything is found`(text: String) throws {
        #expect(try TrafficFilter(text).matches(Subject()))
    }

    private static let unusual: [(String, Subject)] = [
        ("~u grüße", .with { $0.url = "https://a.test/gr%C3%BC%c3%9fe" }),
        ("'/日+本?語$'", .with { $0.url = "https://a.test/%E6%97%A5%e6%97%a5%E8%AA%9E" }),
        ("~u grüße", .with { $0.url = "https://a.test/grüße" }),
        ("~u '[a-z]ü{2}$'", .with { $0.url = "https://a.test/x%C3%BC%C3%BC" }),
        ("!~u grüße", .with { $0.url = "https://a.test/gr%C3%BCse" }),
        ("~e", .with { $0.error = "" }),
        ("~q", .with { $0.status = nil }),
        ("!~s", .with { $0.status = nil }),
        ("!~c 200", .with { $0.status = nil }),
        ("~c 4xx", .with { $0.status = 499 }),
        ("!~slow 0s", .with { $0.duration = nil }),
        ("~a", .with { $0.responseType = "image/png" }),
        ("~a", .with { $0.responseType = "text/css" }),
        ("!~a", .with { $0.responseType = nil }),
        ("!~a", .with { $0.responseType = "text/html" }),
        ("~websocket ~http", .with { $0.status = 101 }),
        ("~mock", .with { $0.responder = "mock" }),
        ("~bridge !~mock", .with { $0.responder = "bridge" }),
        ("~gql cart ~gql ^Cart$ ~gql '^query cart$' !~gql pay", .with { $0.operation = "query Cart" }),
        (
            "~gql ^Pay$ ~gql ^mutation ~gql '^Cart$' !~gql 'cart, m'",
            .with { $0.operation = "query Cart, mutation Pay" }
        ),
        ("!~gql . !~gqlerror", .with { $0.operation = "shop.Cart/Add" }),
        ("!~gql . !~gqlerror", .with { $0.graphQLErrors = nil }),
        ("~gqlerror ~c 200", .with { $0.graphQLErrors = 1 }),
        ("!~gqlerror ~gql .", .with { ($0.operation, $0.graphQLErrors) = ("query", 0) }),
        ("~fault !~network", .with { $0.changes = ["location", "+fault"] }),
        ("~stale !~network", .with { $0.changes = ["+stale"] }),
        ("~network !~fault", .with { $0.changes = ["+network"] }),
        ("~contract !~e", .with { $0.differsFromContract = true }),
        (
            "~grpc cart/ge ~grpc '^shop.v1.Cart/Get$' !~grpc x=1 !~grpc a.test ~grpc ''",
            .with { ($0.url, $0.requestType) = ("https://a.test/shop.v1.Cart/Get?x=1", "application/grpc+proto") }
        ),
        ("~grpcstatus unavailable ~grpcstatus 14 ~grpcstatus 1-16 !~grpcstatus OK", .with { $0.grpcStatus = 14 }),
        ("!~grpcstatus 0-16", .with { $0.grpcStatus = nil }),
        ("!~grpc ''", .with { ($0.url, $0.requestType) = ("https://a.test/shop.v1.Cart/Get", "application/json") }),
        ("~push", .with { $0.url = "https://a.test/3/device/ab" }),
        ("~push", .with { $0.url = "https://fcm.test/v1/projects/p/messages:send" }),
        ("!~push", .with { $0.url = "https://a.test/3/devices/ab" }),
        (
            "~reason unregistered ~reason '^un.*ed$' !~reason bad !~reason timestamp",
            .with { ($0.status, $0.responseBody) = (410, [#"{"reason" : "Unregi"#, #"stered","timestamp":1}"#]) }
        ),
        (
            "~reason ^UNREGISTERED$ !~reason not_found",
            .with {
                $0.status = 404
                $0.responseBody = [#"{"error":{"status":"NOT_FOUND","details":[{"errorCode":"UNREGISTERED"}]}}"#]
            }
        ),
        ("!~reason ''", .with { ($0.status, $0.responseBody) = (200, [#"{"reason":"OK"}"#]) }),
        ("!~reason ''", .with { ($0.status, $0.responseBody) = (404, ["not found"]) }),
        ("~push", .with { $0.url = "https://updates.push.services.mozilla.com/wpush/v2/gAAA" }),
        ("~push", .with { $0.url = "https://web.push.apple.com/QAbc" }),
        ("!~push", .with { $0.url = "https://a.test/x?next=/3/device/ab" }),
        (
            "~push ~reason ^BadDeviceToken$",
            .with {
                $0.url = "http://localhost:1/3/device/%3Credacted:device:1%3E"
                ($0.status, $0.responseBody) = (400, [#"{"reason":"BadDeviceToken"}"#])
            }
        ),
        ("!~t ''", .with { $0.responseType = nil }),
        ("~src ^::1$ ~src '^\\[::1\\]:7$'", .with { ($0.clientAddress, $0.clientPort) = ("::1", 7) }),
        (
            "~bq ping ~bs pong ~b 'pong$' !~bs ping",
            .with { ($0.sentMessages, $0.receivedMessages) = (["ping"], ["pong"]) }
        ),
        ("!~b pingpong", .with { $0.sentMessages = ["ping", "pong"] }),
        ("~h late", .with { $0.requestHeads.append("GET / HTTP/1.1\nA: late\n\n") }),
        ("~h '^A: $' ~h '^odd$'", .with { $0.requestHeads = ["GET / HTTP/1.1\r\nA:\r\nodd\r\n\r\n"] }),
        ("!~h .", .with { ($0.requestHeads, $0.responseHeads) = (["", "GET", "\r\n\r\n", "\n"], []) }),
        ("~u ä ~u 'Ä'", .with { $0.url = "ä/Ä" }),
        ("!~u Ä", .with { $0.url = "ä" }),
        ("~u 'a~b'", .with { $0.url = "a~b" }),
        (#"~u "say \"hi\"" ~u 'it\'s'"#, .with { $0.url = #"say "hi", it's"# }),
        (#"~b '\\'"#, .with { $0.requestBody = ["\\"] }),
    ]

    @Test(arguments: unusual)
    func `an unusual exchange is found`(text: String, subject: Subject) throws {
        #expect(try TrafficFilter(text).matches(subject))
    }

    /// `1` stands for a term that holds and `0` for one that does not.
    @Test(arguments: [
        ("1", true), ("!1", false), ("!!1", true), ("! ! 0", false), ("1 0", false), ("1 & 1", true), ("1 1 1", true),
        ("1 | 0", true), ("0 | 0", false), ("1 | 0 & 0", true), ("0 & 0 | 1", true), ("0 0 | 1", true),
        ("1 | 0 0", true), ("(1 | 0) 0", false), ("(1|0) & 1", true), ("!0 & 0", false), ("!(0 & 0)", true),
        ("!1 | 1", true), ("!(1 | 1)", false), ("1 !0", true), ("1&!0|0", true), ("((((1))))", true), ("(1)(0)", false),
        ("0 | 1 | 0", true),
    ])
    func `not binds tighter than and, and that tighter than or`(text: String, isFound: Bool) throws {
        let terms = text.map { $0 == "1" ? "~s" : $0 == "0" ? "~e" : String($0) }.joined()
        #expect(try TrafficFilter(terms).matches(Subject()) == isFound)
    }

    @Test func `bodies are asked for only where the rest leaves it open`() throws {
        final class Counter { var count = 0 }
        struct Counting: FilterSubject {
            let counter: Counter
            var id: Int64 { 1 }
            var startedAt: Int64 { 0 }
            var duration: Int64? { nil }
            var clientAddress: String { "" }
            var clientPort: Int { 0 }
            var method: String { "" }
            var url: String { "" }
            var host: String { "" }
            var status: Int? { 200 }
            var requestType: String? { nil }
            var responseType: String? { nil }
            var profile: String? { nil }
            var route: String? { nil }
            var responder: String? { nil }
            var origin: String? { nil }
            var originAddress: String? { nil }
            var trust: String? { nil }
            var changes: [String] { [] }
            var error: String? { nil }
            func heads(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) { counter.count += 1 }
            func body(of side: FilterSide, atOrigin: Bool, visit: (UnsafeRawBufferPointer) -> Bool) {
                counter.count += 1
            }
            func messages(of side: FilterSide, visit: (UnsafeRawBufferPointer) -> Bool) { counter.count += 1 }
        }
        let counter = Counter()
        #expect(try !TrafficFilter("(~b x | ~h x) ~c 404").matches(Counting(counter: counter)))
        #expect(try TrafficFilter("~b x | ~h x | ~c 200").matches(Counting(counter: counter)))
        #expect(counter.count == 0)
        #expect(try !TrafficFilter("~bq x").matches(Counting(counter: counter)))
        #expect(counter.count == 3)
    }

    @Test func `the operators of a help text are those that are read`() throws {
        let arguments = ["REGEX": "x", "STATUS": "200", "NAME": "x", "TEXT": "x", "TIME": "5m", "N": "7"]
        for found in TrafficFilter.operators {
            let argument = try found.argument.map { try #require(arguments[$0]) } ?? ""
            #expect(throws: Never.self) { try TrafficFilter("~\(found.name) \(argument)") }
        }
        #expect(Set(TrafficFilter.operators.map(\.name)).count == TrafficFilter.operators.count)
    }
}
