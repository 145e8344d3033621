import Exchanges
import Foundation
import Inspection
import Store
import TestSupport
import Testing

@Suite struct RepeatTests {
    private func request(
        _ method: String, _ target: String, _ fields: [String], _ body: [UInt8] = [], url: String = "http://a.test",
        version: String = "HTTP/1.1"
    ) throws -> RecordedRequest {
        var exchange = Pieces.exchange(url: url + (target == "*" ? "" : target))
        exchange.method = method
        exchange.client.version = version
        exchange.bytes.request = UInt64(body.count)
        let head = ["\(method) \(target) HTTP/1.1"] + fields
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        return try StoreBench().recorded([
            Pieces.whole(1, exchange, [(.clientRequest, bytes), (.requestBody, body)])
        ]).request(1)
    }

    @Test func `a command reads as somebody would have written it`() throws {
        let simple = try request("GET", "/a?b=c&d", ["Host: a.test", "Accept: */*", "User-Agent: app/1"])
        #expect(
            CurlCommand(simple).text == """
                curl \\
                  --http1.1 \\
                  --header 'Accept: */*' \\
                  --header 'User-Agent: app/1' \\
                  'http://a.test/a?b=c&d'

                """)
        let body = Array(#"{"password":"<redacted:password:0123456789>","it's":1}"#.utf8)
        let secret = try request(
            "PUT", "/a",
            [
                "Host: other.test", "Authorization: Bearer <redacted:bearer:aaaaaaaaaa>", "Connection: close, X-Hop",
                "X-Hop: 1", "Content-Length: 5", "Content-Type: application/json", "X-Empty:",
                "Cookie: path=<redacted:path:bbbbbbbbbb>",
            ], body)
        #expect(
            CurlCommand(secret).text == #"""
                # Secrets were not recorded; set these variables first:
                #   SECRET_BEARER='…'   (field Authorization, bearer aaaaaaaaaa)
                #   SECRET_PATH='…'   (field Cookie, path bbbbbbbbbb)
                #   SECRET_PASSWORD='…'   (body, password 0123456789)
                curl \
                  --http1.1 \
                  --request 'PUT' \
                  --header 'Host: other.test' \
                  --header 'Authorization: Bearer '"$SECRET_BEARER" \
                  --header 'Content-Type: application/json' \
                  --header 'X-Empty;' \
                  --header 'Cookie: path='"$SECRET_PATH" \
                  --header 'User-Agent:' \
                  --header 'Accept:' \
                  --header 'Expect:' \
                  --data-raw '{"password":"'"$SECRET_PASSWORD"'","it'\''s":1}' \
                  'http://a.test/a'

                """#)
    }

    @Test(arguments: [true, false])
    func `a request that was sent in HTTP/2 is repeated like any other`(hasClientHead: Bool) throws {
        let exchange = Pieces.exchange(url: "https://two.test/a?b=1")
        let client = Exports.head("GET /a?b=1 HTTP/1.1", "Host: two.test", "x-own: 1", "via: 1.1 shunt")
        let heads = (hasClientHead ? [(.clientRequest, client)] : []) + [Exports.sentFields]
        let request = try StoreBench().recorded([Pieces.whole(1, exchange, heads)]).request(1)
        #expect(request.host == "two.test" && request.target == "/a?b=1")
        #expect(request.fields == [.init("x-own", "1"), .init("via", "1.1 shunt")])
        #expect(!CurlCommand(request).text.contains(":method") && !SwiftSnippet(request).text.contains(":path"))
    }

    @Test(arguments: [("http", "--http2-prior-knowledge"), ("https", "--http2")])
    func `curl speaks HTTP2 as the client did`(scheme: String, option: String) throws {
        var exchange = Pieces.exchange(url: "\(scheme)://two.test/a")
        exchange.client = .init(address: "192.0.2.1:5", version: "HTTP/2", tls: nil)
        let head = Exports.head("GET /a HTTP/1.1", "Host: two.test")
        let request = try StoreBench().recorded([Pieces.whole(1, exchange, [(.clientRequest, head)])]).request(1)
        #expect(CurlCommand(request).text.contains(" \(option) \\\n"))
    }

    static let binary = (0...255).map { UInt8($0) } + [0x0D, 0x0A, 0x27, 0]

    @Test(arguments: [
        ("GET", "/", [UInt8]()), ("GET", "/with?body={1}", Array("content".utf8)), ("POST", "/empty", []),
        ("POST", "/a/../b/./c?x=[1]&y={a,b}", Array("@file 'quoted' \"$HOME\" `id` \\ ! \n\r\n end\n".utf8)),
        ("PATCH", "/$(id)`id`'", Array("ä€😀".utf8)), ("PUT", "/binary", binary), ("M-SEARCH", "/own", []),
        ("PUT", "/large", Array(String(repeating: "0123456789\n", count: 12_000).utf8)), ("OPTIONS", "*", []),
        ("DELETE", "/", []),
    ])
    func `the command sends the same bytes when a shell runs it`(method: String, target: String, body: [UInt8]) throws {
        let received = Kept<(head: String, body: [UInt8])?>(nil)
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let length =
                head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
            let body = try connection.readBytes(length)
            received.change { $0 = (head, body) }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        }
        defer { origin.stop() }
        let fields = ["X-Quote: it's \"$HOME\" `id` \\n", "X-Twice: 1", "X-Twice: 2", "X-Empty: ", "x-lower: ü"]
        let own = try request(
            method, target, ["Host: 127.0.0.1:\(origin.port)"] + fields, body, url: "http://127.0.0.1:\(origin.port)")
        let folder = try TemporaryFolder()
        let command = CurlCommand(own).text.replacingOccurrences(of: "curl \\", with: "curl -sS --noproxy '*' \\")
        let result = try ChildProcess.run("/bin/sh", [try folder.write("again.sh", command)])
        #expect(result.status == 0 && result.output == "ok", "\(result)")
        let (head, sent) = try #require(received.value)
        #expect(sent == body)
        var lines = head.split(separator: "\r\n").map(String.init)
        #expect(lines.removeFirst() == "\(method) \(target) HTTP/1.1")
        let wanted = ["Host: 127.0.0.1:\(origin.port)"] + fields.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines.filter { !$0.hasPrefix("Content-Length") }.map { $0.trimmingCharacters(in: .whitespaces) } == wanted)
    }

    @Test func `secrets come from variables, and what is missing is said`() throws {
        let own = try request("GET", "/?token=%3Credacted:token:0123456789%3E", ["Host: a.test", "Upgrade: websocket"])
        let text = CurlCommand(own).text
        #expect(text.contains("'http://a.test/?token='\"$SECRET_TOKEN\"\n"))
        #expect(text.hasPrefix("# Note: it asked for another protocol, and that is left out.\n"))
        let two = try request(
            "GET", "/", ["A: <redacted:k:0000000001>", "B: <redacted:k:0000000002>", "C: <redacted:k:0000000001>"])
        let lines = CurlCommand(two).text
        for part in ["'A: '\"$SECRET_K\"", "'B: '\"$SECRET_K_2\"", "'C: '\"$SECRET_K\""] {
            #expect(lines.contains(part))
        }
        #expect(throws: ExportFailure.self) { try StoreBench().recorded([]).request(7) }
    }

    @Test func `Swift code compiles, whatever the request has`() throws {
        let folder = try TemporaryFolder()
        let requests = [
            try request("GET", "/", ["Host: a.test"]),
            try request(
                "POST", "/a?b=\\(c)", ["X-Quote: \"\\(id)\" \\n #\"", "Authorization: <redacted:api-key:0123456789>"],
                Array("line\nline \"\\(x)\" \u{200E}\u{2028} <redacted:password:0123456789>".utf8)),
            try request("PUT", "/binary", ["X: ü"], Self.binary),
        ]
        for (index, request) in requests.enumerated() {
            let text = SwiftSnippet(request).text
            try folder.write("\(index)/main.swift", text)
            let result = try ChildProcess.run(
                "/usr/bin/env", ["swiftc", "-typecheck", "-swift-version", "6", "\(index)/main.swift"],
                directory: folder.path, seconds: 300)
            #expect(result.status == 0, "\(text)\n\(result.errors)")
        }
        #expect(SwiftSnippet(requests[1]).text.contains("request.addValue(\"\\(secretApiKey)\""))
    }
}
