import Exchanges
import Filter
import Foundation
import Inspection
import JSON
import Store
import Testing

@Suite struct HARExportTests {
    private func all() throws -> [JSONValue] {
        try Exports.entries(try Exports.har(try StoreBench().recorded(Exports.all())))
    }

    /// The rules of the specification that a schema can hold, for every entry.
    static let rules: [(name: String, holds: @Sendable (JSONValue) -> Bool)] = [
        (
            "startedDateTime has a date, a time and a zone",
            {
                ($0["startedDateTime"]?.string ?? "").wholeMatch(
                    of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}(Z|[+-]\d\d:\d\d)/) != nil
            }
        ),
        (
            "time is the sum of the phases that happened, TLS within connecting",
            { entry in
                let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap {
                    entry["timings"]?[$0]?.number?.double
                }
                let sum = phases.filter { $0 >= 0 }.reduce(0, +)
                return phases.count == 6 && abs(sum - (entry["time"]?.number?.double ?? -1)) < 0.0005
            }
        ),
        (
            "send, wait and receive are never -1, and TLS is no longer than connecting",
            { entry in
                func phase(_ name: String) -> Double { entry["timings"]?[name]?.number?.double ?? -2 }
                return ["send", "wait", "receive"].allSatisfy { phase($0) >= 0 } && phase("ssl") <= phase("connect")
            }
        ),
        ("cache is there", { $0["cache"]?.object != nil }),
        (
            "the request has what it must have",
            { entry in
                let request = entry["request"]
                return ["method", "url", "httpVersion"].allSatisfy { request?[$0]?.string?.isEmpty == false }
                    && ["cookies", "headers", "queryString"].allSatisfy { request?[$0]?.array != nil }
                    && ["headersSize", "bodySize"].allSatisfy { (request?[$0]?.number?.int64 ?? -2) >= -1 }
            }
        ),
        (
            "the response has what it must have",
            { entry in
                let response = entry["response"]
                return (response?["status"]?.number?.int64 ?? -1) >= 0
                    && ["statusText", "httpVersion", "redirectURL"].allSatisfy { response?[$0]?.string != nil }
                    && ["cookies", "headers"].allSatisfy { response?[$0]?.array != nil }
                    && ["headersSize", "bodySize"].allSatisfy { (response?[$0]?.number?.int64 ?? -2) >= -1 }
                    && (response?["content"]?["size"]?.number?.int64 ?? -2) >= -1
                    && response?["content"]?["mimeType"]?.string?.isEmpty == false
            }
        ),
        (
            "parameters and text exclude each other",
            { entry in
                guard let data = entry["request"]?["postData"] else { return true }
                return (data["params"] == nil) != (data["text"] == nil) && data["mimeType"]?.string != nil
            }
        ),
        (
            "only known names stand without an underscore",
            { entry in
                let names = [
                    "startedDateTime", "time", "request", "response", "cache", "timings", "serverIPAddress",
                    "connection", "comment", "pageref",
                ]
                return (entry.object ?? []).allSatisfy { names.contains($0.key) || $0.key.hasPrefix("_") }
            }
        ),
    ]

    @Test func `every entry follows the rules of HAR 1 2`() throws {
        let entries = try all()
        #expect(entries.count == 6)
        for (index, entry) in entries.enumerated() {
            for rule in Self.rules { #expect(rule.holds(entry), "entry \(index): \(rule.name)") }
        }
    }

    @Test func `the log names its version, its creator and what became of secrets`() throws {
        let reader = try StoreBench().recorded(Exports.all())
        let log = try JSONReader.read(try Exports.har(reader), dialect: .strict)["log"]
        #expect(log?["version"]?.string == "1.2")
        #expect(log?["creator"]?["name"]?.string == "Shunt" && log?["creator"]?["version"]?.string == "1")
        #expect(log?["comment"]?.string == "No credentials were seen in any head.")
        let empty = try JSONReader.read(try Exports.har(reader, "~c 200 & ~c 404"), dialect: .strict)
        #expect(empty["log"]?["entries"]?.array?.isEmpty == true)
    }

    @Test(arguments: [
        ("Authorization: Bearer abcdefgh", "in clear text"), ("Cookie: a=longer1", "in clear text"),
        ("Authorization: Bearer <redacted:bearer:0123456789>", "are replaced"),
        ("Cookie: a=<redacted:a:0123456789>", "are replaced"), ("Cookie: a=true", "No credentials"),
    ])
    func `the comment says whether it may be shared`(field: String, comment: String) throws {
        let reader = try StoreBench().recorded([
            Pieces.whole(1, Pieces.exchange(), [(.clientRequest, Exports.head("GET / HTTP/1.1", field))])
        ])
        let log = try JSONReader.read(try Exports.har(reader), dialect: .strict)["log"]
        #expect(log?["comment"]?.string?.contains(comment) == true)
        let lines = try Exports.lines(reader)
        #expect(comment.contains("clear") == (lines[0]["secrets"]?.string == "clear"))
    }

    @Test func `phases, addresses and cookies stand where HAR wants them`() throws {
        let entry = try all()[0]
        let timings = entry["timings"]
        let expected = [
            ("blocked", "-1"), ("dns", "1.5"), ("connect", "5.25"), ("ssl", "3.25"), ("send", "0.01"), ("wait", "40"),
            ("receive", "0.001"),
        ]
        for (name, value) in expected { #expect(timings?[name]?.number?.json == value, "\(name)") }
        #expect(entry["time"]?.number?.json == "46.761")
        #expect(entry["startedDateTime"]?.string == "2023-11-14T22:13:20.123Z")
        #expect(entry["serverIPAddress"]?.string == "2001:db8::1" && entry["connection"]?.string == "5000")
        let cookies = try #require(entry["response"]?["cookies"]?.array)
        #expect(cookies[0]["expires"]?.string == "2026-10-21T07:28:00.000Z")
        #expect(cookies[0]["httpOnly"]?.bool == true && cookies[0]["secure"]?.bool == true)
        #expect(cookies[0]["path"]?.string == "/" && cookies[0]["domain"]?.string == "shop.test")
        #expect(cookies[1]["expires"]?.string == "2023-11-14T22:14:20.123Z")
        #expect(cookies[1]["httpOnly"]?.bool == false && cookies[1]["_sameSite"]?.string == "Lax")
        #expect(entry["request"]?["cookies"]?.array?.map { $0["name"]?.string } == ["theme", "id"])
        #expect(entry["request"]?["queryString"]?.array?.map { $0["value"]?.string } == ["1 2", ""])
        #expect(entry["response"]?["redirectURL"]?.string == "https://api.shop.test/home")
        #expect(entry["request"]?["postData"]?["text"]?.string == "user=J%C3%B6rg&note=a+b%26c%3D")
        #expect(entry["response"]?["headersSize"]?.number?.int64 ?? 0 > 100)
    }

    @Test func `what only Shunt knows stands in members with an underscore`() throws {
        let entry = try all()[0]
        #expect(entry["_profile"]?.string == "staging" && entry["_route"]?.string == "api.shop.test/*")
        #expect(entry["_trustPolicy"]?.string == "pinned" && entry["_trustDecision"]?.string == "the pin matches")
        #expect(entry["_rewritten"]?.array?.count == 2 && entry["_attempts"]?.array?.count == 1)
        #expect(entry["_originRequest"]?["headers"]?.array?[0]["value"]?.string == "two.test")
        #expect(entry["_responseTrailers"]?.array?[0]["value"]?.string == "1")
        #expect(entry["_total"]?.number?.json == "47" && entry["_unlocked"]?.bool == true)
    }

    @Test func `a request that was sent in HTTP/2 has pseudo-header fields and no line`() throws {
        let reader = try StoreBench().recorded([Exports.multiplexed()])
        let entry = try #require(try Exports.entries(try Exports.har(reader)).first)
        let names = [":method", ":path", ":scheme", ":authority", "x-own", "via"]
        let sent = try #require(entry["_originRequest"])
        #expect(sent["startLine"]?.string == "")
        #expect(sent["headers"]?.array?.compactMap { $0["name"]?.string } == names)
        #expect(entry["_origin"]?["protocol"]?.string == "HTTP/2")
        #expect(entry["request"]?["httpVersion"]?.string == "HTTP/1.1")
        let line = try #require(try Exports.lines(reader).first)
        #expect(line["origin_request"]?["line"]?.isNull == true)
        #expect(line["origin_request"]?["fields"]?.array?.compactMap { $0["name"]?.string } == names)
        #expect(line["origin"]?["protocol"]?.string == "HTTP/2" && line["origin_protocol"]?.string == "HTTP/2")
    }

    @Test(arguments: ["^:method: GET", ":authority: two", "^via: 1"])
    func `filters find fields of a request that was sent in HTTP/2`(pattern: String) throws {
        let reader = try StoreBench().recorded([Exports.multiplexed()])
        #expect(try Exports.entries(try Exports.har(reader, "~hq \"\(pattern)\"")).count == 1)
    }

    @Test func `an exchange that failed has status 0 and says why`() throws {
        let entry = try all()[1]
        #expect(entry["response"]?["status"]?.number?.int64 == 0)
        #expect(entry["response"]?["bodySize"]?.number?.int64 == -1)
        #expect(entry["_error"]?.string == "nobody listens at 192.0.2.1:80")
        #expect(entry["response"]?["_error"]?.string == entry["_error"]?.string)
    }

    @Test func `bytes that are no text are Base64, and messages look as in Chrome`() throws {
        let entries = try all()
        let content = entries[2]["response"]?["content"]
        #expect(content?["encoding"]?.string == "base64")
        #expect(content?["text"]?.string == Data(Exports.png).base64EncodedString())
        #expect(entries[2]["request"]?["postData"]?["_encoding"]?.string == "base64")
        #expect(entries[0]["response"]?["content"]?["encoding"]?.string == "base64", "it has a control character")
        let messages = try #require(entries[3]["_webSocketMessages"]?.array)
        #expect(messages.map { $0["opcode"]?.number?.int64 } == [1, 2, 9, 10, 1, 8])
        #expect(messages.map { $0["type"]?.string } == ["send", "receive", "receive", "send", "receive", "receive"])
        #expect(messages[0]["data"]?.string == "hi\n" && messages[0]["time"]?.number?.json == "1700000000.500001")
        #expect(messages[1]["data"]?.string == Data(Exports.png).base64EncodedString())
        #expect(messages[4]["_length"]?.number?.int64 == 9)
        #expect(entries[3]["_resourceType"]?.string == "websocket")
        let events = try #require(entries[4]["_eventSourceMessages"]?.array)
        #expect(events[0]["data"]?.string == "data: 1" && events[0]["eventName"]?.string == "news")
        #expect(events[0]["eventId"]?.string == "17" && events[1]["eventId"] == nil)
        #expect(events[1]["type"]?.string == "error" && events[1]["opcode"]?.number?.int64 == -1)
    }

    @Test(arguments: [0, 1, 2, 3, 4]) func `text comes out whole, wherever it is cut into rows`(shift: Int) throws {
        let text = String(repeating: "x", count: shift) + String(repeating: "é\u{1F600}\"\\\n", count: 20_000)
        let binary = Array(text.utf8) + [0xFF]
        let reader = try StoreBench().recorded([
            Pieces.whole(1, Pieces.exchange(), [(.responseBody, Array(text.utf8)), (.requestBody, binary)])
        ])
        let entry = try Exports.entries(try Exports.har(reader))[0]
        #expect(entry["response"]?["content"]?["text"]?.string == text)
        let data = Data(base64Encoded: entry["request"]?["postData"]?["text"]?.string ?? "")
        #expect(data.map { Array($0) } == binary)
    }

    @Test func `sizes are those without the coding, and a body that was cut says so`() throws {
        var exchange = Pieces.exchange()
        exchange.bytes.response = 5000
        let body = [UInt8](repeating: 0x61, count: 5000)
        let reader = try StoreBench().recorded([Pieces.whole(1, exchange, [(.responseBody, body)])]) {
            $0.bodyLimit = 10
        }
        let content = try Exports.entries(try Exports.har(reader))[0]["response"]?["content"]
        #expect(content?["size"]?.number?.int64 == 5000 && content?["text"]?.string == "aaaaaaaaaa")
        #expect(content?["comment"]?.string == "only the first 10 bytes were kept")
    }

    @Test func `JSON Lines have heads as lists and bodies as they are`() throws {
        let lines = try Exports.lines(try StoreBench().recorded(Exports.all()))
        #expect(lines.count == 6)
        let names = lines[0]["client_request"]?["fields"]?.array?.compactMap { $0["name"]?.string }
        #expect(names?.suffix(2) == ["X-Twice", "X-Twice"])
        #expect(lines[0]["client_request"]?["line"]?.string == "POST /login?a=1%202&b HTTP/1.1")
        #expect(lines[0]["request_body"]?["text"]?.string == "user=J%C3%B6rg&note=a+b%26c%3D")
        #expect(lines[2]["response_body"]?["base64"]?.string == Data(Exports.png).base64EncodedString())
        #expect(lines[3]["messages"]?.array?.count == 6)
        #expect(lines[1]["error"]?["message"]?.string == "nobody listens at 192.0.2.1:80")
    }

    @Test func `exchanges with equal heads are told as each alone`() throws {
        func piece(_ number: Int, _ change: (inout Exchange) -> Void) -> RecordedPiece {
            var exchange = Pieces.exchange(url: "https://api.shop.test/a?b=1")
            change(&exchange)
            return Pieces.whole(
                UInt64(number), exchange,
                [
                    (.clientRequest, Exports.head("GET /a?b=1 HTTP/1.1", "Host: api.shop.test", "Cookie: a=1; b=22")),
                    (.clientResponse, Exports.head("HTTP/1.1 200 OK", "Set-Cookie: c=1; Max-Age=60")),
                ])
        }
        func text(_ value: JSONValue?) -> String {
            var writer = JSONWriter()
            if let value { writer.value(value) }
            return writer.text
        }
        let changes: [(inout Exchange) -> Void] = [
            { _ in }, { $0.url = "http://api.shop.test/a?b=1" }, { $0.method = "HEAD" },
            { $0.client.version = "HTTP/2" },
            { $0.url = "https://xn--a/" }, { $0.startedAt += 1_000_000 }, { $0.bytes.request = 3 }, { _ in },
            {
                $0.url = "https://xn--a/"
                $0.origin = .init(url: "https://two.test", address: "192.0.2.2:443", version: "HTTP/2")
            },
        ]
        let together = try Exports.entries(
            Exports.har(StoreBench().recorded(changes.enumerated().map { piece($0.offset, $0.element) })))
        #expect(together.count == changes.count)
        for (index, change) in changes.enumerated() {
            let alone = try Exports.entries(Exports.har(StoreBench().recorded([piece(0, change)])))
            for member in ["request", "response", "startedDateTime", "_redacted"] {
                let (one, other) = (text(together[index][member]), text(alone.first?[member]))
                #expect(one == other, "\(member) of \(index)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `exchanges with the same content are told as each alone`(hasCookie: Bool) throws {
        func piece(_ number: Int, _ change: (inout Exchange) -> Void) -> RecordedPiece {
            var exchange = Pieces.exchange(url: "https://api.shop.test/a", status: 200)
            exchange.origin = .init(url: "https://two.test", address: "192.0.2.2:443", version: "HTTP/1.1")
            exchange.bytes.response = 9
            change(&exchange)
            let cookie = hasCookie ? ["Set-Cookie: c=1; Max-Age=60"] : []
            let response = ["HTTP/1.1 200 OK", "Content-Type: text/plain"] + cookie
            return Pieces.whole(
                UInt64(number), exchange,
                [
                    (.clientRequest, Exports.head("GET /a HTTP/1.1", "Host: api.shop.test")),
                    (.originRequest, Exports.head("GET /a HTTP/1.1", "Host: two.test")),
                    (.originResponse, Array((response.joined(separator: "\r\n") + "\r\n\r\n").utf8)),
                    (.clientResponse, Array((response.joined(separator: "\r\n") + "\r\n\r\n").utf8)),
                    (.responseBody, Array("the \"body\"".utf8)),
                ])
        }
        func text(_ entry: JSONValue?) -> String {
            var writer = JSONWriter()
            writer.object { object in
                for member in entry?.object ?? [] where member.key != "_id" { object.member(member.key, member.value) }
            }
            return writer.text
        }
        let failure = Exchange.Failure(side: "client", stage: "body", message: "left", fixes: ["stay"])
        let changes: [(inout Exchange) -> Void] = [
            { _ in }, { $0.status = 201 }, { $0.status = nil }, { $0.bytes.response = 7 },
            { $0.bytes.decodedResponse = 8 }, { $0.client.version = "HTTP/2" }, { $0.client.address = "192.0.2.1:7" },
            { $0.failure = failure }, { $0.startedAt += 1_000_000 }, { $0.timings.wait = 1234 }, { $0.profile = "p" },
            { $0.reason = "r" }, { $0.route = "x" }, { $0.responder = "mock" }, { $0.isUnlocked = true },
            { $0.retries = 2 }, { $0.rewritten = ["+Location"] }, { $0.redirectedTo = ["production"] },
            { $0.attempts = [.init(origin: "https://one.test", outcome: "refused")] }, { $0.origin = nil },
            { $0.origin?.isReused = true }, { $0.origin?.isResumed = true }, { $0.origin?.address = "192.0.2.3:443" },
            { $0.origin?.trust = "default" }, { $0.origin?.trustDecision = "rejected" }, { $0.origin?.tls = "TLSv1.3" },
            { $0.origin?.version = "HTTP/2" }, { $0.url = "https://api.shop.test/a?t=%3Credacted:token:0123456789%3E" },
        ]
        // The store shares what it has seen twice.
        let rounds = (0..<3 * changes.count).map { piece($0, changes[$0 % changes.count]) }
        let together = try Exports.entries(Exports.har(StoreBench().recorded(rounds)))
        #expect(together.count == rounds.count)
        for (index, change) in changes.enumerated() {
            let alone = try Exports.entries(Exports.har(StoreBench().recorded([piece(0, change)])))
            for round in 0..<3 {
                let (one, other) = (text(together[round * changes.count + index]), text(alone.first))
                #expect(one == other, "change \(index) in round \(round)")
            }
        }
    }

    // Long bodies stand apart from heads in PostgreSQL.
    @Test(.bothStores, arguments: [9, 5000]) func `behind equal heads each exchange has its own body`(size: Int) throws
    {
        let bodies = (0..<12).map { String(repeating: $0 % 3 == 0 ? "a" : $0 % 3 == 1 ? "b" : "c", count: size) }
        let head = Exports.head("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: \(size)")
        let pieces = bodies.enumerated().map { number, body in
            Pieces.whole(
                UInt64(number), Pieces.exchange(url: "https://api.shop.test/a", status: 200),
                [
                    (.clientRequest, Exports.head("GET /a HTTP/1.1", "Host: api.shop.test")),
                    (.originResponse, head), (.clientResponse, head), (.responseBody, Array(body.utf8)),
                ])
        }
        let entries = try Exports.entries(Exports.har(StoreBench().recorded(pieces)))
        #expect(entries.map { $0["response"]?["content"]?["text"]?.string } == bodies)
    }

    @Test(arguments: ["", "~u /varied/2", "~b 'number 7'", "~u /nowhere", "~u /varied/299"])
    func `several threads write the same archive as one`(filter: String) throws {
        let bench = try StoreBench()
        let reader = try bench.recorded((0..<300).map(Exports.varied))
        let alone = try Exports.har(reader, filter)
        for threads in 1...3 { #expect(try Exports.har(reader, filter, threads: threads) == alone) }
        let count = try JSONReader.read(alone, dialect: .strict)["log"]?["entries"]?.array?.count
        #expect(count == ["": 300, "~u /nowhere": 0, "~u /varied/299": 1][filter] ?? count)
    }

    @Test func `threads end with an output that takes no more`() throws {
        let bench = try StoreBench()
        let reader = try bench.recorded((0..<500).map(Exports.varied))
        for wanted in 0...5 {
            var calls = 0
            let output = ExportOutput { _ in
                calls += 1
                return calls <= wanted
            }
            let search = TrafficSearch(reader, try TrafficFilter(""))
            #expect(throws: ExportFailure.self) { try HARExport(search, version: "1", threads: 2).write(to: output) }
            #expect(calls == wanted + 1)
        }
    }

    @Test func `an output that takes nothing ends the export`() throws {
        let reader = try StoreBench().recorded(Exports.all())
        var calls = 0
        let output = ExportOutput { _ in
            calls += 1
            return false
        }
        let search = TrafficSearch(reader, try TrafficFilter(""))
        #expect(throws: ExportFailure.self) { try HARExport(search, version: "1").write(to: output) }
        #expect(calls == 1)
    }
}
