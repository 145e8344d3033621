import Recordings
import TestSupport
import Testing

/// Which entry fits a request.
@Suite struct RecordingIndexTests {
    private static func index(_ entries: [String], _ rules: RecordingRules = RecordingRules()) throws -> RecordingIndex
    {
        RecordingIndex(try RecordingFileTests.file(RecordingFileTests.archive(entries)), rules)
    }

    private static func post(_ body: String, type: String = "application/json") -> String {
        let text = body.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
            .split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\\r\\n")
        return #"{"mimeType": "\#(type)", "text": "\#(text)"}"#
    }

    @Test(
        arguments: [
            ("GET", "a.test", "/x", true), ("GET", "A.TEST:8443", "/x", true), ("POST", "a.test", "/x", false),
            ("GET", "b.test", "/x", false), ("GET", "a.test", "/x?", true), ("GET", "a.test", "/x/", false),
            ("GET", "a.test", "/q?b=2&a=1", true), ("GET", "a.test", "/q?a=1", false),
            ("GET", "a.test", "/q?a=1&b=2&c=3", false), ("GET", "a.test", "", true), ("GET", "a.test", "/X", false),
        ] as [(String, String, String, Bool)])
    func `method, host, path and query are compared`(
        method: String, host: String, target: String, fits: Bool
    ) throws {
        let index = try Self.index([
            RecordingFileTests.entry("https://a.test:443/x#part"), RecordingFileTests.entry("http://a.test/q?a=1&b=2"),
            RecordingFileTests.entry("http://a.test"),
        ])
        let found = try index.find(AskedRequest(method: method, authority: host, target: target))
        #expect((found != nil) == fits)
    }

    @Test(
        arguments: [
            (#"{"a": 1, "b": [true]}"#, "application/json", #"{ "b":[true],"a":1 }"#, "application/json", true),
            (#"{"a": 1}"#, "application/json", #"{"a": 2}"#, "application/json", false),
            (#"{"id": "x1", "a": 1}"#, "application/json", #"{"id": "x2", "a": 1}"#, "text/plain", true),
            (#"{"items": [{"t": 1, "n": 2}]}"#, "", #"{"items": [{"t": 9, "n": 2}]}"#, "", true),
            (#"{"items": [{"t": 1, "n": 2}]}"#, "", #"{"items": [{"t": 9, "n": 3}]}"#, "", false),
            ("a=1&b=2", "application/x-www-form-urlencoded", "b=2&a=1", "application/x-www-form-urlencoded", true),
            ("a=1&utm_x=2", "application/x-www-form-urlencoded", "a=1", "application/x-www-form-urlencoded", true),
            ("text", "text/plain", "text", "text/plain", true), ("text", "text/plain", "", "text/plain", false),
            (
                "--AaB\r\nx\r\n--AaB--", "multipart/form-data; boundary=AaB", "--zZ1\r\nx\r\n--zZ1--",
                "multipart/form-data; boundary=zZ1", true
            ),
            (
                "--AaB\r\nx\r\n--AaB--", "multipart/form-data; boundary=AaB", "--zZ1\r\ny\r\n--zZ1--",
                "multipart/form-data; boundary=zZ1", false
            ),
            (
                #"{"pin": "<redacted:pin:0123456789>"}"#, "application/json", #"{"pin": "<redacted:pin:abcdefabcd>"}"#,
                "application/json", true
            ),
            (
                #"{"pin": "<redacted:pin:0123456789>"}"#, "application/json", #"{"pin": "<redacted:pan:abcdefabcd>"}"#,
                "application/json", false
            ),
        ] as [(String, String, String, String, Bool)])
    func `bodies are compared by what they mean`(
        recorded: String, recordedType: String, sent: String, type: String, fits: Bool
    ) throws {
        let index = try Self.index(
            [RecordingFileTests.entry("POST", "http://a.test/x", post: Self.post(recorded, type: recordedType))],
            RecordingRules(ignoredQuery: ["utm_*"], ignoredJSON: ["id", "items.*.t"]))
        let asked = AskedRequest(method: "POST", authority: "a.test", target: "/x", type: type, body: Array(sent.utf8))
        #expect((try index.find(asked) != nil) == fits)
    }

    @Test(
        arguments: [
            (nil, [0, 3]), ("bytes=0-9", [1]), ("BYTES=10- 19", [2, 4]), ("bytes=20-29", [0, 3]),
        ] as [(String?, [Int])])
    func `a part responds to requests for that part alone`(range: String?, entries: [Int]) throws {
        let url = "http://a.test/x"
        let recorded: [(Int, String?)] = [
            (200, nil), (206, "bytes=0-9"), (206, "bytes=10-19"), (200, "bytes=20-29"), (416, "bytes=10-19"),
        ]
        let index = try Self.index(
            recorded.map { status, range in
                let fields = range.map { #"{"name": "Range", "value": "\#($0)"}"# } ?? ""
                return RecordingFileTests.entry(url, status: status)
                    .replacing(#""headers": []"#, with: #""headers": [\#(fields)]"#)
            })
        let asked = AskedRequest(method: "GET", authority: "a.test", target: "/x", range: range)
        #expect(try index.find(asked)?.entries == entries)
        let alone = try Self.index([
            RecordingFileTests.entry(url, status: 206).replacing(
                #""headers": []"#, with: #""headers": [{"name": "range", "value": "bytes=0-9"}]"#)
        ])
        let isOther = range != "bytes=0-9"
        #expect((try alone.find(asked) == nil) == isOther)
        if isOther { #expect(alone.nearest(to: asked).contains("the header range is")) }
    }

    @Test func `a part without its body is no response that a request could have got`() throws {
        func part(_ text: String) -> String {
            """
            {"_redacted": true, "request": {"method": "GET", "url": "http://a.test/x"},
             "response": {"status": 206, "headers": [], "content": {"text": "\(text)"}}}
            """
        }
        let file = try RecordingFileTests.file(
            RecordingFileTests.archive([part("<redacted:part:0123456789>"), part("first")]))
        let use = RecordingUse()
        #expect(use.unused(of: file) == [1])
        use.didRespond(with: 1)
        #expect(use.unused(of: file) == [])
    }

    @Test func `a failed attempt is no entry`() throws {
        let url = "http://a.test/x"
        let index = try Self.index([0, 200, 0, 503].map { RecordingFileTests.entry(url, status: $0) })
        #expect(try index.find(AskedRequest(method: "GET", authority: "a.test", target: "/x"))?.entries == [0, 1])
        let alone = try Self.index([RecordingFileTests.entry(url, status: 0)])
        #expect(try alone.find(AskedRequest(method: "GET", authority: "a.test", target: "/x")) == nil)
    }

    @Test func `a body that was not recorded fits any, after those that were`() throws {
        let index = try Self.index([
            RecordingFileTests.entry("POST", "http://a.test/x", post: #"{"mimeType": "image/png"}"#),
            RecordingFileTests.entry("POST", "http://a.test/x", post: Self.post("a", type: "text/plain")),
        ])
        for (body, entry) in [("a", 1), ("b", 0)] {
            let asked = AskedRequest(method: "POST", authority: "a.test", target: "/x", body: Array(body.utf8))
            #expect(try index.find(asked)?.entries == [entry])
        }
    }

    @Test(
        arguments: [
            (
                "GET", "/v1/cart?page=3", "",
                "entry 1, GET http://a.test/v1/cart?page=2: the query parameter page is “3”, not “2”"
            ),
            ("GET", "/v1/cart", "", "entry 1, GET http://a.test/v1/cart?page=2: the query lacks page=2"),
            ("GET", "/v1/card?page=2", "", "the path is /v1/card, not /v1/cart"),
            ("PUT", "/v1/cart?page=2", "", "the method is PUT, not GET"),
            (
                "POST", "/v1/order", #"{"items": [{"sku": "b"}]}"#,
                "entry 2, POST http://a.test/v1/order: items.0.sku in the body is “b”, not “a”"
            ),
            ("POST", "/v1/order", #"{"items": []}"#, "items in the body has 0 items, not 1"),
            ("POST", "/v1/order", #"{"items": [{"sku": "a"}], "x": 1}"#, "x in the body was not recorded"),
            ("POST", "/v1/order", "", "the request has no body, and the recorded one has"),
        ] as [(String, String, String, String)])
    func `a miss names the nearest entry and the first difference`(
        method: String, target: String, body: String, text: String
    ) throws {
        let index = try Self.index([
            RecordingFileTests.entry("http://a.test/v1/cart?page=2"),
            RecordingFileTests.entry("POST", "http://a.test/v1/order", post: Self.post(#"{"items": [{"sku": "a"}]}"#)),
        ])
        let asked = AskedRequest(
            method: method, authority: "a.test", target: target, type: "application/json", body: Array(body.utf8))
        #expect(try index.find(asked) == nil)
        #expect(index.nearest(to: asked).contains(text), "\(index.nearest(to: asked))")
    }

    @Test func `header fields count where the rules name them`() throws {
        let entries = ["de", "en"].map { language in
            #"""
            {"request": {"method": "GET", "url": "http://a.test/", "headers": [{"name": "Accept-Language", "value":
            "\#(language)"}]}, "response": {"status": 200, "content": {"text": "\#(language)"}}}
            """#
        }
        let index = try Self.index(entries, RecordingRules(headers: ["Accept-Language"]))
        for (language, entry) in [("de", [0]), ("en", [1]), ("fr", nil)] as [(String, [Int]?)] {
            let asked = AskedRequest(
                method: "GET", authority: "a.test", target: "/", fields: [("accept-language", language)])
            #expect(try index.find(asked)?.entries == entry)
        }
    }

    @Test func `of many entries a bounded number is looked at for the nearest one`() throws {
        let entries = (0..<400).map { RecordingFileTests.entry("GET", "http://h\($0 % 3).test/v1/r\($0)/items?page=1") }
        let index = try Self.index(entries)
        func asked(_ host: String, _ target: String) -> AskedRequest {
            AskedRequest(method: "GET", authority: host, target: target)
        }
        for target in ["/v1/r300/items?page=2", "/v1/r300/itemz", "/", "/a", String(repeating: "/a", count: 15_000)] {
            #expect(index.entries(near: asked("h0.test", target)).count <= 128)
        }
        #expect(index.nearest(to: asked("h0.test", "/v1/r300/items?page=2")).contains("entry 301, "))
        #expect(index.nearest(to: asked("h0.test", "/v1/r300/itemz")).contains("entry 301, "))
        #expect(index.nearest(to: asked("x.test", "/v1/r301/items?page=1")).contains("entry 302, "))
    }

    @Test func `a long path or body takes time in proportion to its length`() throws {
        let body = #"{"mimeType": "multipart/form-data; boundary=b", "text": "--b"}"#
        let index = try Self.index([
            RecordingFileTests.entry("POST", "http://a.test/x", post: body),
            RecordingFileTests.entry("GET", "http://a.test/a/b"),
        ])
        let ofBody = try growth(from: 16 << 10) { size in
            let line = String(repeating: "-", count: size / 2)
            let text = line + "\n" + line.dropLast() + "x"
            _ = try index.find(
                AskedRequest(
                    method: "POST", authority: "a.test", target: "/x", type: "multipart/form-data; boundary=b",
                    body: Array(text.utf8)))
        }
        let ofPath = growth(from: 4_000) { size in
            _ = index.nearest(
                to: AskedRequest(
                    method: "GET", authority: "a.test", target: String(repeating: "/a", count: size)))
        }
        #expect(ofBody < 9 && ofPath < 9)
    }
}

extension RecordingFileTests {
    static func entry(_ url: String, status: Int = 200, body: String = #""text": "ok""#) -> String {
        entry("GET", url, status: status, body: body)
    }
}
