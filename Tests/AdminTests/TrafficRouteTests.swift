import Admin
import Engine
import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

/// What passed, over the admin interface.
@Suite struct TrafficRouteTests {
    /// Ten exchanges, every third one a failure.
    private func filled() async throws -> AskedAdmin {
        let admin = try await AskedAdmin()
        for id in 1...10 {
            admin.offer(
                UInt64(id), AskedAdmin.exchange("/v1/\(id)", status: id % 3 == 0 ? 500 : 200),
                [
                    (.clientRequest, "POST /v1/\(id) HTTP/1.1\r\nHost: api.shop.test\r\n\r\n"),
                    (.requestBody, "sent \(id)"),
                    (.clientResponse, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"),
                    (.responseBody, "came \(id)"),
                ])
        }
        try await admin.waitForCount(10)
        return admin
    }

    private func identities(_ response: AskedAdmin.Response) throws -> [Int64] {
        try response.json["exchanges"]?.array?.compactMap { $0["id"]?.number?.int64 } ?? []
    }

    @Test(
        arguments: [
            ("", [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]),
            ("limit=4", [[10, 9, 8, 7], [6, 5, 4, 3], [2, 1]]),
            ("limit=4&order=oldest", [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]),
            ("limit=2&filter=~c%20500", [[9, 6], [3]]),
            ("limit=1&order=oldest&filter=%7ebs+%22came+1%22", [[1], [10], []]),
            ("filter=~c+404", [[]]),
        ] as [(String, [[Int64]])])
    func `pages follow each other by cursor`(query: String, pages: [[Int64]]) async throws {
        let admin = try await filled()
        var cursor: String?
        var found: [[Int64]] = []
        repeat {
            let more = cursor.map { "&cursor=\($0)" } ?? ""
            let response = try await admin.get("/v1/traffic?\(query)\(more)")
            #expect(response.status == 200, "\(response)")
            found.append(try identities(response))
            cursor = try response.json["next"]?.string
        } while cursor != nil
        #expect(found == pages)
        await admin.stop()
    }

    @Test(
        arguments: [
            ("/v1/traffic?filter=~d%20(", 400, 4), ("/v1/traffic?filter=~c+200+%26+~nonsense+x", 400, 10),
            ("/v1/traffic/stats?filter=~m", 400, 3), ("/v1/traffic/export?filter=)", 400, 1),
            ("/v1/traffic/events?filter=~d%20(", 400, 4), ("/v1/traffic?limit=0", 400, nil),
            ("/v1/traffic?limit=1001", 400, nil), ("/v1/traffic?limit=x", 400, nil),
            ("/v1/traffic?fliter=a", 400, nil), ("/v1/traffic?limit=1&limit=2", 400, nil),
            ("/v1/traffic?order=random", 400, nil), ("/v1/traffic?cursor=9", 400, nil),
            ("/v1/traffic?cursor=n0", 400, nil), ("/v1/traffic?cursor=o3", 400, nil),
            ("/v1/traffic/stats?by=colour", 400, nil), ("/v1/traffic/export?format=xml", 400, nil),
            ("/v1/traffic/11", 404, nil), ("/v1/traffic/0", 404, nil), ("/v1/traffic/one", 404, nil),
            ("/v1/traffic/99999999999999999999", 404, nil), ("/v1/traffic/11/response/body", 404, nil),
            ("/v1/traffic/11/response/text", 404, nil), ("/v1/traffic/11/changes", 404, nil),
            ("/v1/traffic/11/code", 404, nil), ("/v1/traffic/1/code?as=cobol", 400, nil),
            ("/v1/traffic/1/response/text?as=rot13", 400, nil), ("/v1/traffic/1/request/text?from=-1", 400, nil),
            ("/v1/traffic/1/response/text?limit=20001", 400, nil), ("/v1/traffic/1/messages/text", 400, nil),
            ("/v1/traffic/1/messages/text?number=0", 404, nil), ("/v1/traffic/1/differences", 400, nil),
            ("/v1/traffic/1/differences?to=11", 404, nil), ("/v1/traffic/11/differences?to=1", 404, nil),
            ("/v1/explain", 400, nil), ("/v1/explain?url=", 400, nil), ("/v1/programs/output", 400, nil),
            ("/v1/traffic/1?bodies=no", 400, nil), ("/v1/traffic/1/other/body", 404, nil), ("/v1/status?x=1", 400, nil),
            ("/v1", 404, nil),
        ] as [(String, Int, Int?)])
    func `what is wrong is a problem, with the column of a filter`(target: String, status: Int, column: Int?)
        async throws
    {
        let admin = try await filled()
        let response = try await admin.get(target)
        #expect(response.status == status, "\(response)")
        #expect(response.head.contains("\r\nContent-Type: application/problem+json\r\n"))
        let problem = try response.json
        #expect(problem["status"]?.number?.int64 == Int64(status))
        #expect(problem["detail"]?.string?.isEmpty == false)
        #expect(problem["column"]?.number?.int64 == column.map { Int64($0) })
        await admin.stop()
    }

    @Test func `one is shown as a whole`() async throws {
        let admin = try await filled()
        let json = try await admin.get("/v1/traffic/3").json
        #expect(json["id"]?.number?.int64 == 3 && json["status"]?.number?.int64 == 500)
        #expect(json["heads"]?["client_request"]?.string?.hasPrefix("POST /v1/3 HTTP/1.1\r\n") == true)
        #expect(json["bodies"]?["response"]?["text"]?.string == "came 3")
        await admin.stop()
    }

    @Test func `without its bodies it has all else`() async throws {
        let admin = try await filled()
        let json = try await admin.get("/v1/traffic/3?bodies=false").json
        #expect(json["bodies"]?["response"]?["kept"]?.number?.int64 == 6)
        #expect(json["bodies"]?["response"]?["text"] == nil && json["bodies"]?["request"]?["base64"] == nil)
        #expect(json["heads"]?["client_request"]?.string?.isEmpty == false)
        await admin.stop()
    }

    @Test func `Shunt lays out bodies, changes and code`() async throws {
        let admin = try await AskedAdmin()
        var exchange = AskedAdmin.exchange("/form", method: "POST")
        exchange.rewritten = ["+CORS"]
        admin.offer(
            1, exchange,
            [
                (.clientRequest, "POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"),
                (.requestBody, "name=Ann+Lee&city=K%C3%B6ln"), (.originResponse, "HTTP/1.1 200 OK\r\n\r\n"),
                (.clientResponse, "HTTP/1.1 200 OK\r\nVary: Origin\r\n\r\n"),
            ])
        try await admin.waitForCount(1)
        let body = try await admin.get("/v1/traffic/1/request/text").json
        #expect(body["text"]?.string?.contains("Ann Lee") == true && body["text"]?.string?.contains("Köln") == true)
        #expect(body["cut"]?.bool == false)
        let changes = try await admin.get("/v1/traffic/1/changes").json
        #expect(changes["request"]?.isNull == true)
        let line = changes["response"]?.array?.last?.array?.map(\.string)
        #expect(line == ["+", "Vary: Origin", "Pages of other origins may read the response (cors)."])
        let code = try await admin.get("/v1/traffic/1/code?as=python").json
        #expect(code["code"]?.string?.contains("name=Ann+Lee") == true && code["secrets"]?.number?.int64 == 0)
        let operators = try await admin.get("/v1/operators").json["operators"]?.array ?? []
        #expect(operators.contains { $0["name"]?.string == "~d" && $0["argument"]?.string == "REGEX" })
        await admin.stop()
    }

    @Test(arguments: [
        ("type", "json", ["{", "  \"a\": [", "    1,", "    2", "  ]", "}"]),
        ("hex", "hex", [#"00000000  7b 22 61 22 3a 20 5b 31  2c 20 32 5d 7d           {"a": [1, 2]}"#]),
    ])
    func `a body comes page by page`(look: String, form: String, lines: [String]) async throws {
        let admin = try await AskedAdmin()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        admin.offer(
            1, AskedAdmin.exchange("/"), [(.clientResponse, head), (.responseBody, #"{"a": [1, 2]}"#)])
        try await admin.waitForCount(1)
        for limit in 1...lines.count + 1 {
            var (found, from): ([String], Int64?) = ([], 0)
            while let start = from {
                let page = try await admin.get(
                    "/v1/traffic/1/response/text?as=\(look)&limit=\(limit)&from=\(start)"
                ).json
                #expect(page["form"]?.string == form, "\(page)")
                found += page["text"]?.string?.split(separator: "\n").map(String.init) ?? []
                from = page["next"]?.number?.int64
            }
            #expect(found == lines)
        }
        await admin.stop()
    }

    @Test func `bytes of a body of any size are shown from any line on`() async throws {
        let admin = try await AskedAdmin()
        // Its pieces end within lines.
        let body = String(repeating: "0123456789", count: 20_001)
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        admin.offer(1, AskedAdmin.exchange("/"), [(.clientResponse, head), (.responseBody, body)])
        try await admin.waitForCount(1)
        for (from, line) in [(0, "00000000"), (4096, "00010000"), (12_499, "00030d30"), (12_500, "00030d40")] {
            let page = try await admin.get("/v1/traffic/1/response/text?as=hex&limit=1&from=\(from)").json
            let place = from * 16 % 10
            let shown = body.dropFirst(place).prefix(from == 12_500 ? 10 : 16)
            let text = page["text"]?.string ?? ""
            #expect(text.hasPrefix(line) && text.hasSuffix("  \(shown)\n"), "\(text)")
            #expect(page["next"]?.number?.int64 == (from == 12_500 ? nil : Int64(from + 1)))
        }
        let behind = try await admin.get("/v1/traffic/1/response/text?as=hex&from=9223372036854775807").json
        #expect(behind["text"]?.string?.isEmpty == true && behind["next"]?.isNull == true)
        await admin.stop()
    }

    @Test func `two exchanges are compared part by part`() async throws {
        let admin = try await AskedAdmin()
        let head = "HTTP/1.1 200 OK\r\nB: 1\r\na: 2\r\nContent-Type: application/json\r\n\r\n"
        admin.offer(
            1, AskedAdmin.exchange("/"),
            [
                (.clientRequest, "GET / HTTP/1.1\r\nA: 1\r\n\r\n"), (.clientResponse, head),
                (.responseBody, #"{"a":1,"b":2}"#),
            ])
        admin.offer(
            2, AskedAdmin.exchange("/"),
            [
                (.clientRequest, "GET / HTTP/1.1\r\na: 1\r\n\r\n"),
                (.clientResponse, head.replacing("a: 2", with: "A: 3")), (.responseBody, #"{"a":1,"b":3}"#),
            ])
        try await admin.waitForCount(2)
        let parts = try await admin.get("/v1/traffic/1/differences?to=2").json
        func changes(_ name: String) -> [String]? {
            parts[name]?.array?.map { $0.array?.prefix(2).compactMap(\.string).joined() ?? "" }
                .filter { !$0.hasPrefix(" ") }
        }
        #expect(changes("request_fields") == [] && parts["request_body"]?.isNull == true, "\(parts)")
        #expect(changes("response_fields") == ["-a: 2", "+a: 3"])
        #expect(changes("response_body") == ["-  \"b\": 2", "+  \"b\": 3"])
        await admin.stop()
    }

    @Test func `code does not hold a long body`() async throws {
        let admin = try await AskedAdmin()
        admin.offer(
            1, AskedAdmin.exchange("/", method: "PUT"),
            [(.clientRequest, "PUT / HTTP/1.1\r\n\r\n"), (.requestBody, String(repeating: "x", count: 524_289))])
        try await admin.waitForCount(1)
        let response = try await admin.get("/v1/traffic/1/code")
        #expect(response.status == 409 && response.body.contains("shunt show 1 --raw request"))
        await admin.stop()
    }

    @Test func `what was handed over is there at once, however long the store gathers`() async throws {
        let admin = try await AskedAdmin(gathering: 600_000)
        for id in 1...3 {
            admin.offer(UInt64(id), AskedAdmin.exchange("/\(id)"), [])
            #expect(try await admin.get("/v1/traffic/newest").json["newest"]?.number?.int64 == Int64(id))
            #expect(try identities(try await admin.get("/v1/traffic?limit=1")) == [Int64(id)])
        }
        await admin.stop()
    }

    @Test func `messages come page by page, and those that are known are not sent again`() async throws {
        let admin = try await AskedAdmin()
        admin.offer(1, AskedAdmin.exchange("/events"), isLast: false, [])
        for number in 0..<2500 {
            var piece = RecordedPiece(id: 1, exchange: nil, isFirst: false, isLast: false)
            let facts = MessageFacts(time: 0, sender: .origin, kind: .event, length: 5)
            piece.append(.message(facts), Array("e\(number)".utf8))
            _ = admin.store.offer(piece)
        }
        var (texts, after, pages): ([String], String, Int) = ([], "", 0)
        while true {
            let json = try await admin.get("/v1/traffic/1\(after)").json
            let page = try #require(json["messages"]?.array, "\(json)")
            texts += page.compactMap { $0["text"]?.string }
            pages += 1
            #expect(page.count <= 1000)
            let last = try #require(json["messages_last"]?.number?.int64)
            after = "?after=\(last)"
            guard json["messages_more"]?.bool == true else { break }
        }
        #expect(pages == 3 && texts == (0..<2500).map { "e\($0)" })
        #expect(try await admin.get("/v1/traffic/1\(after)").json["messages"]?.array?.isEmpty == true)
        let last = try await admin.get("/v1/traffic/1/messages/text?number=2499").json
        #expect(last["text"]?.string == "e2499\n" && last["form"]?.string == "text", "\(last)")
        var piece = RecordedPiece(id: 1, exchange: nil, isFirst: false, isLast: false)
        piece.append(.message(MessageFacts(time: 0, sender: .client, kind: .binary, length: 3)), [0, 1, 0x41])
        _ = admin.store.offer(piece)
        let bytes = try await admin.get("/v1/traffic/1/messages/text?number=2500").json
        #expect(bytes["form"]?.string == "hex" && bytes["text"]?.string?.hasPrefix("00000000  00 01 41") == true)
        let summary = try await admin.get("/v1/traffic/1?after=2499").json["messages"]?.array?.first
        #expect(summary?["hex"]?.string?.hasPrefix("00 01 41") == true && summary?["number"]?.number?.int64 == 2500)
        await admin.stop()
    }

    @Test func `bodies come as bytes that no browser shows`() async throws {
        let admin = try await filled()
        let response = try await admin.get("/v1/traffic/3/response/body")
        #expect(response.status == 200 && response.body == "came 3")
        for field in [
            "Content-Type: text/plain; charset=utf-8", "Content-Disposition: attachment; filename=\"3-response\"",
            "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
        ] { #expect(response.head.contains("\r\n\(field)"), "\(field) in \(response.head)") }
        let request = try await admin.get("/v1/traffic/3/request/body")
        #expect(request.body == "sent 3" && request.head.contains("\r\nContent-Type: application/octet-stream\r\n"))
        await admin.stop()
    }

    @Test(arguments: ["text/html\u{7}", "none", "x/" + String(repeating: "y", count: 300), "text/plain\rX: 1"])
    func `a type that could break the head is not passed on`(type: String) async throws {
        let admin = try await AskedAdmin()
        admin.offer(
            1, AskedAdmin.exchange("/"),
            [(.clientResponse, "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n"), (.responseBody, "x")])
        try await admin.waitForCount(1)
        let response = try await admin.get("/v1/traffic/1/response/body")
        #expect(response.body == "x" && response.head.contains("\r\nContent-Type: application/octet-stream\r\n"))
        #expect(!response.head.contains("X: 1"))
        await admin.stop()
    }

    @Test func `a large body comes whole`() async throws {
        let admin = try await AskedAdmin()
        let body = String(repeating: "0123456789", count: 100_000)
        admin.offer(1, AskedAdmin.exchange("/"), [(.responseBody, body)])
        try await admin.waitForCount(1)
        let response = try await admin.get("/v1/traffic/1/response/body")
        #expect(response.body == body)
        await admin.stop()
    }

    @Test func `what the filter wants is removed, and without one all of it`() async throws {
        let admin = try await filled()
        let some = try await admin.ask("DELETE", "/v1/traffic?filter=~c+500")
        #expect(try some.json["removed"]?.number?.int64 == 3)
        #expect(try identities(try await admin.get("/v1/traffic")) == [10, 8, 7, 5, 4, 2, 1])
        #expect(try some.json["erased"]?.bool == true)
        let all = try await admin.ask("DELETE", "/v1/traffic")
        #expect(try all.json["removed"]?.number?.int64 == 7)
        #expect(try identities(try await admin.get("/v1/traffic")) == [])
        await admin.stop()
    }

    @Test func `groups are counted`() async throws {
        let admin = try await filled()
        let json = try await admin.get("/v1/traffic/stats?by=status&filter=!~u+v1/1").json
        #expect(json["by"]?.string == "status" && json["total"]?["count"]?.number?.int64 == 8)
        let groups = json["groups"]?.array?.map { "\($0["name"]?.string ?? "") \($0["count"]?.number?.json ?? "")" }
        #expect(groups == ["200 5", "500 3"])
        #expect(try await admin.get("/v1/traffic/stats?limit=1&by=status").json["groups_left_out"]?.number?.int64 == 1)
        await admin.stop()
    }

    @Test func `when exchanges began is told in steps`() async throws {
        let admin = try await filled()
        let all = try await admin.get("/v1/traffic/timeline?steps=3").json
        let (counts, failed) = (numbers(all["counts"]), numbers(all["failed"]))
        #expect(counts.reduce(0, +) == 10 && failed.reduce(0, +) == 3 && (1...3).contains(counts.count))
        #expect(counts.count == failed.count && all["step_us"]?.number?.int64 ?? 0 > 0)
        // A condition that the database cannot decide.
        let some = try await admin.get("/v1/traffic/timeline?filter=~b+came+3").json
        #expect(numbers(some["counts"]).reduce(0, +) == 1 && numbers(some["failed"]).reduce(0, +) == 1)
        let none = try await admin.get("/v1/traffic/timeline?filter=~d+nowhere").json
        #expect(none["start_us"]?.isNull == true && numbers(none["counts"]).isEmpty)
        #expect(try await admin.get("/v1/traffic/timeline?steps=0").status == 400)
        await admin.stop()
    }

    private func numbers(_ value: JSONValue?) -> [Int64] { value?.array?.compactMap { $0.number?.int64 } ?? [] }

    @Test func `exports are HAR, JSON Lines and a page`() async throws {
        let admin = try await filled()
        let har = try await admin.get("/v1/traffic/export?filter=~c+500")
        #expect(har.head.contains("filename=\"traffic.har\""))
        let entries = try har.json["log"]?["entries"]?.array
        #expect(entries?.compactMap { $0["_id"]?.number?.int64 ?? $0["response"]?["status"]?.number?.int64 }.count == 3)
        #expect(try har.json["log"]?["creator"]?["version"]?.string == "1.2.3")
        let lines = try await admin.get("/v1/traffic/export?format=jsonl")
        #expect(lines.head.contains("\r\nContent-Type: application/x-ndjson\r\n"))
        let parsed = try lines.body.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(parsed.compactMap { $0["id"]?.number?.int64 } == Array(1...10))
        let page = try await admin.get("/v1/traffic/export?format=html&filter=~id+2,5")
        #expect(page.head.contains("filename=\"traffic.html\"") && page.head.contains("sandbox;"))
        #expect(page.body.matches(of: /<details id="x([0-9]+)">/).map { String($0.1) } == ["2", "5"])
        await admin.stop()
    }

    @Test func `without a store there is no traffic, and all else goes on`() async throws {
        let admin = try await AskedAdmin(isRecording: false)
        for target in ["", "/stats", "/events", "/export", "/1", "/1/response/body"] {
            #expect(try await admin.get("/v1/traffic" + target).status == 409)
        }
        #expect(try await admin.get("/v1/status").status == 200)
        await admin.stop()
    }

    @Test func `profiles with errors are a problem that lists them`() async throws {
        let admin = try await AskedAdmin()
        let response = try await admin.ask("POST", "/v1/reload", "Content-Type: application/json\r\n")
        #expect(response.status == 422 && response.head.contains("application/problem+json"))
        #expect(try response.json["problems"]?.array?.compactMap(\.string) == ["a.json:1:1: wrong"])
        await admin.stop()
    }

    @Test(arguments: ["/v1/traffic", "/v1/traffic/1", "/v1/traffic/events", "/v1/traffic/export", "/openapi.json"])
    func `nothing is told without the token, or to a web page`(target: String) async throws {
        let admin = try await AskedAdmin()
        let port = admin.server.port
        for (fields, status) in [
            ("Host: 127.0.0.1:\(port)\r\n", "401"),
            ("Host: 127.0.0.1:\(port)\r\nAuthorization: Bearer other\r\n", "401"),
            ("Host: evil.test:\(port)\r\nAuthorization: Bearer secret\r\n", "403"),
            ("Host: 127.0.0.1:\(port)\r\nAuthorization: Bearer secret\r\nOrigin: http://evil.test\r\n", "403"),
        ] {
            let text = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send("GET \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
                return try client.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(fields) \(text)")
        }
        await admin.stop()
    }
}
