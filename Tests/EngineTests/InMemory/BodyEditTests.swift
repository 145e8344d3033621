import Bytes
import Engine
import Exchanges
import Profiles
import Testing

/// What routes edit in bodies, between a client and an origin in memory.
@Suite struct BodyEditTests {
    private static func profile(_ more: String, kind: String = "staging", origin: String = "http://origin.test")
        -> String
    {
        #"{"kind": "\#(kind)", "routes": [{"origin": "\#(origin)", \#(more)}]}"#
    }

    private static let flag = #""response": {"json": {"set": {"$.flag": true}}}"#
    private static let type = "Content-Type: application/json\r\n"

    private static func message(_ first: String, _ fields: String = "", _ body: String = "") -> String {
        "\(first)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// What the origin gets of a request, and what the client gets of the response.
    private static func pass(
        _ profile: String, _ request: String, _ response: String
    ) async throws -> (request: String, response: String, exchange: Exchange?) {
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(request)
            guard !worker.origins.channels.isEmpty else { return ("", client.text, worker.log.exchanges.first) }
            let origin = try worker.origins.channel(0)
            let got = origin.text
            origin.receive(response)
            await worker.settle()
            return (got, client.text, worker.log.exchanges.first)
        }
    }

    // MARK: Requests

    @Test(arguments: [
        (
            #""json": {"set": {"$.a": 2}, "append": {"$.i": 3}}"#, "application/json", #"{"a":1,"i":[]}"#,
            #"{"a":2,"i":[3]}"#
        ),
        (
            #""json": [{"if": {"$.a": 1}, "set": {"$.b": 1}}, {"if": {"$.b": 1}, "increment": {"$.a": 0.5}}]"#,
            "application/json", #"{"a":1}"#, #"{"a":1.5,"b":1}"#
        ),
        (#""merge": {"a": null, "b": {"c": 1}}"#, "application/vnd.x+json", #"{"a":1}"#, #"{"b":{"c":1}}"#),
        (#""text": {"staging": "local"}"#, "text/plain", "at staging", "at local"),
        (#""regex": {"id=[0-9]+": "id=0"}"#, "application/x-www-form-urlencoded", "id=77&x=1", "id=0&x=1"),
        (#""text": {"a": "b"}, "types": ["application/x-odd"]"#, "application/x-odd", "aa", "bb"),
        (#""text": {"a": "b"}, "types": ["application/x-odd"]"#, "text/plain", "aa", "aa"),
        (#""json": {"set": {"$.a": 2}}"#, "application/json", "no JSON", "no JSON"),
        (#""json": {"remove": ["$.a"]}"#, "text/html", #"{"a":1}"#, #"{"a":1}"#),
    ])
    func `a request arrives with its route's edits and their length`(
        edits: String, type: String, body: String, result: String
    ) async throws {
        let fields = "Host: a\r\nContent-Type: \(type)\r\nDigest: x\r\n"
        for isChunked in [false, true] {
            let request =
                isChunked
                ? "POST / HTTP/1.1\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                : Self.message("POST / HTTP/1.1", fields, body)
            let (got, _, exchange) = try await Self.pass(
                Self.profile("\"request\": {\(edits)}"), request, Self.message("HTTP/1.1 204 OK"))
            if isChunked {
                #expect(got.contains("\r\n\(result)\r\n0\r\n\r\n"), "\(got)")
            } else {
                #expect(
                    got.hasSuffix("\r\n\r\n\(result)") && got.contains("\r\nContent-Length: \(result.utf8.count)\r\n"),
                    "\(got)")
            }
            #expect(got.contains("Digest") == (body == result), "\(got)")
            #expect(exchange?.rewritten.contains("request body edits") == (body != result))
        }
    }

    @Test func `a body that comes byte by byte is edited as a whole`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#""request": {"json": {"set": {"$.a": 2}}}"#)) { worker in
            let client = await worker.connect("")
            for byte in Self.message("POST / HTTP/1.1", "Host: a\r\n" + Self.type, #"{"a":1}"#).utf8 {
                client.receive([byte])
                await worker.settle()
            }
            let origin = try worker.origins.channel(0)
            #expect(origin.text.hasSuffix("\r\n\r\n{\"a\":2}"))
        }
    }

    @Test(arguments: [true, false]) func `what is too long to be edited is refused, and never sent as it is`(
        hasLength: Bool
    ) async throws {
        let profile = Self.profile(#""path": "/x", "request": {"json": {"remove": ["$.secret"]}}"#)
        try await MemoryWorker.run(profile: profile) { worker in
            let count = (4 << 20) + 1
            let framing = hasLength ? "Content-Length: \(count)" : "Transfer-Encoding: chunked"
            let client = await worker.connect("POST /x HTTP/1.1\r\nHost: a\r\n\(Self.type)\(framing)\r\n\r\n")
            if !hasLength { client.receive(String(count, radix: 16) + "\r\n") }
            client.receive([UInt8](repeating: 0x20, count: count))
            await worker.settle()
            let text = client.text
            #expect(text.hasPrefix("HTTP/1.1 413 ") && text.contains("/x edits bodies of requests"), "\(text)")
            #expect(worker.origins.channels.isEmpty)
        }
    }

    @Test func `each candidate of a chain gets the edited body, edited once`() async throws {
        let profile = #"""
            {"kind": "staging", "routes": [{"origin": ["http://one.test", "http://two.test"], "fallback": {"statuses": [404]},
              "request": {"json": {"append": {"$.i": 1}}}}]}
            """#
        try await MemoryWorker.run(profile: profile) { worker in
            _ = await worker.connect(Self.message("PUT / HTTP/1.1", "Host: a\r\n" + Self.type, #"{"i":[]}"#))
            let first = try worker.origins.channel(0)
            #expect(first.text.hasSuffix("\r\n\r\n{\"i\":[1]}"))
            first.receive(Self.message("HTTP/1.1 404 No"))
            await worker.settle()
            let second = try worker.origins.channel(1)
            #expect(second.text.hasSuffix("\r\n\r\n{\"i\":[1]}"))
        }
    }

    // MARK: The guard of production

    @Test(arguments: [
        (
            #""graphql": true"#, #""text": {"query": "mutation"}"#, "application/json", #"{"query": "query { me }"}"#,
            403
        ),
        (
            #""graphql": true"#, #""json": {"set": {"$.query": "mutation { pay }"}}"#, "application/json",
            #"{"query": "query { me }"}"#, 403
        ),
        (
            #""graphql": true"#, #""json": {"set": {"$.operationName": "me"}}"#, "application/json",
            #"{"query": "query me { me }"}"#, 200
        ),
        (
            #""graphql": true"#, #""json": {"set": {"$.query": "{ me }"}}"#, "application/json",
            #"{"query": "mutation { pay }"}"#, 200
        ),
        (#""allow": ["POST"]"#, #""json": {"set": {"$._method": "DELETE"}}"#, "application/json", "{}", 403),
        (#""allow": ["POST"]"#, #""text": {"a=1": "_method=DELETE"}"#, "application/x-www-form-urlencoded", "a=1", 403),
        (
            #""allow": ["POST"]"#, #""json": {"remove": ["$._method"]}"#, "application/json", #"{"_method": "DELETE"}"#,
            200
        ),
        (#""allow": ["POST"]"#, #""json": {"set": {"$.x": 1}}"#, "application/json", "{}", 200),
        (#""allow": ["POST"]"#, #""regex": {"^.*$": "{\"_method\": \"DELETE\"}"}"#, "text/plain", "harmless", 403),
    ])
    func `the guard judges what will be sent`(
        more: String, edits: String, type: String, body: String, status: Int
    ) async throws {
        let profile = Self.profile(
            "\(more), \"request\": {\(edits)}", kind: "production", origin: "http://origin.test")
        let (got, response, _) = try await Self.pass(
            profile, Self.message("POST / HTTP/1.1", "Host: a\r\nContent-Type: \(type)\r\n", body),
            Self.message("HTTP/1.1 200 OK"))
        #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
        #expect(got.isEmpty == (status == 403))
    }

    // MARK: Responses

    @Test func `a response is edited as it is framed, and what its bytes were said to be goes`() async throws {
        let fields = Self.type + "ETag: \"a\"\r\nAccept-Ranges: bytes\r\nContent-MD5: x\r\n"
        let (got, response, exchange) = try await Self.pass(
            Self.profile(Self.flag),
            "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, snappy\r\nIf-None-Match: \"a\"\r\n\r\n",
            Self.message("HTTP/1.1 200 OK", fields, #"{ "flag":false }"#))
        #expect(got.contains("\r\nAccept-Encoding: gzip\r\n") && !got.contains("If-None-Match"), "\(got)")
        #expect(response.contains("\r\nTransfer-Encoding: chunked\r\n"), "\(response)")
        #expect(response.hasSuffix("\r\n\r\n000f\r\n{ \"flag\":true }\r\n0\r\n\r\n"), "\(response)")
        #expect(
            response.contains("ETag: W/\"") && !response.contains("Accept-Ranges") && !response.contains("Content-MD5"))
        #expect(exchange?.rewritten.contains("response body edits") == true)
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.0", "HTTP/1.1 200 OK", "", #"{"flag":0}"#, "\r\n\r\n{\"flag\":true}", nil),
            (
                "GET / HTTP/1.1", "HTTP/1.1 206 Part", "Content-Range: bytes 0-9/20\r\n", #"{"flag":0}"#,
                "\r\n\r\n{\"flag\":0}", "a part"
            ),
            ("GET / HTTP/1.1", "HTTP/1.1 404 None", "", #"{"flag":0}"#, "{\"flag\":true}\r\n0\r\n\r\n", nil),
            (
                "GET / HTTP/1.1", "HTTP/1.1 200 OK", "Content-Encoding: snappy\r\n", #"{"flag":0}"#,
                "\r\n\r\n{\"flag\":0}", "coding cannot be undone"
            ),
            ("GET / HTTP/1.1", "HTTP/1.1 200 OK", "", "oh no", "\r\noh no\r\n0\r\n\r\n", "no valid JSON"),
            (
                "GET / HTTP/1.1", "HTTP/1.1 200 OK", "Cache-Control: no-transform\r\n", #"{"flag":0}"#,
                "{\"flag\":true}\r\n0\r\n\r\n", nil
            ),
        ] as [(String, String, String, String, String, String?)])
    func `each kind of response passes whole, edited or with a note`(
        request: String, status: String, fields: String, body: String, end: String, note: String?
    ) async throws {
        let (_, response, exchange) = try await Self.pass(
            Self.profile(Self.flag), "\(request)\r\nHost: a\r\n\r\n", Self.message(status, Self.type + fields, body))
        #expect(response.hasSuffix(end), "\(response)")
        #expect(exchange?.rewritten.contains { $0.contains(note ?? "without the route's edits") } == (note != nil))
    }

    @Test func `a response to HEAD, and one without content, has none after edits`() async throws {
        let (_, head, _) = try await Self.pass(
            Self.profile(Self.flag), "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: 10\r\n\r\n")
        #expect(
            head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n") && !head.contains("Content-Length"), "\(head)"
        )
        let (_, known, _) = try await Self.pass(
            Self.profile(Self.flag), "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 304 Same\r\nETag: \"a\"\r\n\r\n")
        #expect(known.hasPrefix("HTTP/1.1 304 ") && known.hasSuffix("\r\n\r\n"), "\(known)")
        let (_, empty, _) = try await Self.pass(
            Self.profile(Self.flag), "GET / HTTP/1.1\r\nHost: a\r\n\r\n", Self.message("HTTP/1.1 200 OK", Self.type))
        #expect(empty.hasSuffix("\r\n\r\n0\r\n\r\n"), "\(empty)")
    }

    @Test func `events are edited as they come`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#""response": {"text": {"staging": "local"}}"#)) { worker in
            let client = await worker.connect("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let origin = try worker.origins.channel(0)
            origin.receive("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            origin.receive("data: staging\n\n")
            await worker.settle()
            #expect(client.text.hasSuffix("data: local\n\n\r\n"))
            origin.receive("data: sta")
            await worker.settle()
            #expect(client.text.hasSuffix("data: \r\n"))
            origin.receive("ging\n\n")
            await worker.settle()
            #expect(client.text.hasSuffix("local\n\n\r\n"))
        }
    }

    @Test(arguments: [
        (#""mock": {"json": {"flag": false}}"#, #""json": {"set": {"$.flag": true}}"#, #"{"flag":true}"#),
        (
            #""mock": {"text": "at staging"}"#, #""text": {"staging": "local"}, "headers": {"set": {"X-A": "1"}}"#,
            "at local"
        ),
        (#""mock": {"text": "{\"flag\": 1}"}"#, #""json": {"set": {"$.flag": true}}"#, #"{"flag": 1}"#),
        (#""mock": {"json": [1]}"#, #""json": {"append": {"$": 2}}"#, "[1,2]"),
    ]) func `mocks are edited as their fields are`(mock: String, edits: String, body: String) async throws {
        let profile = #"{"kind": "local", "routes": [{\#(mock), "response": {\#(edits)}}]}"#
        let (_, response, _) = try await Self.pass(profile, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "")
        #expect(
            response.hasSuffix("\r\n\r\n\(body)") && response.contains("Content-Length: \(body.utf8.count)\r\n"),
            "\(response)")
    }

    @Test func `an error page of Shunt's own is not edited`() async throws {
        let profile = Self.profile(#""response": {"text": {"shunt": "nobody"}}"#)
        let (_, response, _) = try await Self.pass(profile, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 502 ") && response.contains("shunt: "), "\(response)")
    }

    @Test func `after a switch the next request has the edits of the other profile`() async throws {
        let library = try Harness.library([
            "only": Self.profile(Self.flag), "other": Self.profile(#""response": {"text": {"flag": "other"}}"#),
        ])
        try await MemoryWorker.run(library: library) { worker in
            for (field, end) in [("", "{\"flag\":true}"), ("Shunt-Profile: other\r\n", "{\"other\":0}")] {
                let client = await worker.connect("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
                let origin = try #require(worker.origins.channels.last)
                origin.receive(Self.message("HTTP/1.1 200 OK", Self.type, #"{"flag":0}"#))
                await worker.settle()
                #expect(client.text.contains(end))
            }
        }
    }
}
