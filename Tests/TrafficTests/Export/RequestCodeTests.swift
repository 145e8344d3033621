import Exchanges
import Foundation
import Inspection
import Store
import TestSupport
import Testing

/// Requests as code: each runs, and sends what was recorded.
@Suite struct RequestCodeTests {
    /// What a piece of code asked for.
    private struct Asked: Decodable, Equatable {
        let method: String
        let url: String
        let fields: [[String]]
        /// In Base64; empty without one.
        let body: String
    }

    /// Stand-ins for the libraries, which print what they are asked for; secrets are what the variables hold.
    private static let interpreters: [(RequestCode, [String], String, String)] = [
        (
            .python, ["python3", "-c"],
            """
            import sys, types, json, base64
            def request(method, url, headers={}, data=b""):
                print(json.dumps({"method": method, "url": url, "fields": [list(pair) for pair in headers.items()],
                                  "body": base64.b64encode(data).decode()}))
                return types.SimpleNamespace(status_code="", text="")
            sys.modules["requests"] = types.SimpleNamespace(request=request)

            """, "secret_api_key = \"\""
        ),
        (
            .fetch, ["node", "--input-type=module", "-e"],
            """
            globalThis.fetch = async (url, { method, headers, body = "" }) => {
                console.log(JSON.stringify({ method, url, fields: Object.entries(headers), body: Buffer.from(body).toString("base64") }));
                return { status: "", text: async () => "" };
            };

            """, "const secretApiKey = \"\";"
        ),
        (
            .httpie, ["bash", "-c"],
            """
            http() { if [ "$1" = --ignore-stdin ]; then shift; set -- "$@" --raw ""; fi
                if [ "${@: -2:1}" = --raw ]; then body=$(printf %s "${@: -1}" | base64 -w0); set -- "${@:1:$#-2}"
                else body=$(base64 -w0); fi
                python3 -c 'import json, sys; a = sys.argv[2:]; print(json.dumps({"method": a[0], "url": a[1],
                    "fields": [f.split(":", 1) if ":" in f else [f.rstrip(";"), ""] for f in a[2:]], "body": sys.argv[1]}))' "$body" "$@"; }

            """, "SECRET_API_KEY='…'"
        ),
    ]

    private static let requests: [(String, String, [(String, String)], [UInt8])] = [
        ("GET", "/a?b=c&d='e'", [("Accept", "*/*")], []),
        (
            "POST", "/text", [("X-Quote", "\"it's\" \\n $HOME `id`"), ("X-Empty", "")],
            Array("@line\n\"ü\" '$x' \u{2028}".utf8)
        ),
        (
            "PUT", "/binary", [("Content-Type", "application/octet-stream")],
            [0, 0xFF, 0x0A, 0x27] + (0..<200).map { $0 }
        ),
        ("DELETE", "/secret", [("X-Key", "a <redacted:api-key:0123456789> b")], []),
    ]

    private static let hasNode = FileManager.default.isExecutableFile(atPath: "/usr/bin/node")

    @Test(.enabled(if: hasNode, "node is not installed"), arguments: interpreters.indices, requests.indices)
    func `code sends what was recorded, and asks for secrets by name`(language: Int, request: Int) throws {
        let (form, command, preparation, secret) = Self.interpreters[language]
        let (method, target, fields, body) = Self.requests[request]
        var exchange = Pieces.exchange(url: "http://a.test" + target)
        exchange.method = method
        exchange.bytes.request = UInt64(body.count)
        let head =
            "\(method) \(target) HTTP/1.1\r\nHost: a.test\r\n"
            + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        let recorded = try StoreBench().recorded([
            Pieces.whole(1, exchange, [(.clientRequest, Array(head.utf8)), (.requestBody, body)])
        ]).request(1)
        let code = form.text(of: recorded)
        #expect(code.contains(secret) == (request == 3), "\(code)")
        // As if somebody had filled it in.
        let text = preparation + (form == .httpie ? "SECRET_API_KEY=\n" : "") + code
        let result = try ChildProcess.run("/usr/bin/env", command + [text])
        let line = try #require(result.output.split(separator: "\n").first, "\(code)\n\(result)")
        let asked = try JSONDecoder().decode(Asked.self, from: Data(line.utf8))
        #expect(
            asked
                == Asked(
                    method: method, url: "http://a.test" + target,
                    fields: fields.map { [$0.0, request == 3 ? "a  b" : $0.1] }, body: Data(body).base64EncodedString()),
            "\(code)")
    }

    @Test(arguments: [
        ("", "GET / HTTP/1.1\r\nX: 1", "GET / HTTP/1.1\r\nX: 1\r\nVia: 1.1 shunt", "+Via: 1.1 shunt|RFC 9110, 7.6.3"),
        ("path", "GET /a HTTP/1.1", "GET /b HTTP/1.1", "-GET /a|request.path"),
        ("", "GET / HTTP/1.1\r\nHost: a", "GET / HTTP/1.1\r\nHost: b", "+Host: b|preserveHost"),
        ("Referer", "GET / HTTP/1.1\r\nReferer: a", "GET / HTTP/1.1\r\nReferer: b", "+Referer: b|rewrite.addresses"),
        ("request headers", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nX-Tenant: 7", "+X-Tenant: 7|request.headers"),
        ("", "GET / HTTP/1.1\r\nConnection: close", "GET / HTTP/1.1", "-Connection: close|one connection only"),
        ("", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nX-Odd: 7", "+X-Odd: 7|"),
        // Names in small letters, and fields in the place of the first line, are HTTP/2's own, and no change.
        (
            "", ":method: GET\r\n:path: /\r\n:authority: a\r\nx-a: 1",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nX-Forwarded-For: 1", "+X-Forwarded-For: 1|who asked"
        ),
    ])
    func `each changed line of a request names its rule`(change: String, old: String, new: String, line: String) throws
    {
        let record = try record(change, [(.clientRequest, old), (.originRequest, new)])
        expect(line, in: try #require(HeadChanges(record).request))
        #expect(HeadChanges(record).response == nil)
    }

    @Test(arguments: [
        (
            "-Strict-Transport-Security", "Strict-Transport-Security: a", "",
            "-Strict-Transport-Security: a|rewrite.pins"
        ),
        ("Set-Cookie", "Set-Cookie: a; Secure", "Set-Cookie: a", "+Set-Cookie: a|rewrite.cookies"),
        ("+CORS", "", "Access-Control-Allow-Origin: a", "+Access-Control-Allow-Origin: a|(cors)"),
        (
            "Access-Control-Allow-Origin", "", "Access-Control-Allow-Origin: a",
            "+Access-Control-Allow-Origin: a|rewrite.addresses"
        ),
        ("cache", "ETag: \"a\"", "ETag: \"b\"", "+Etag: \"b\"|(cache)"),
        ("body", "Content-Length: 1", "Transfer-Encoding: chunked", "-Content-Length: 1|rewrite.bodies"),
        ("", "Content-Length: 1", "Transfer-Encoding: chunked", "-Content-Length: 1|RFC 9112"),
        ("", "", "Shunt-Answered-By: local", "+Shunt-Answered-By: local|what responded"),
        ("response headers", "Server: a", "", "-Server: a|response.headers"),
    ])
    func `each changed line of a response names its rule`(change: String, old: String, new: String, line: String) throws
    {
        let record = try record(
            change, [(.originResponse, "HTTP/1.1 200 OK\r\n" + old), (.clientResponse, "HTTP/1.1 200 OK\r\n" + new)])
        expect(line, in: try #require(HeadChanges(record).response))
    }

    private func record(_ change: String, _ heads: [(RecordedPiece.Part.Kind, String)]) throws -> TrafficRecord {
        var exchange = Pieces.exchange()
        if !change.isEmpty { exchange.rewritten = [change] }
        let reader = try StoreBench().recorded([
            Pieces.whole(1, exchange, heads.map { ($0.0, Array("\($0.1)\r\n\r\n".utf8)) })
        ])
        return try #require(try reader.record(1))
    }

    /// - Parameter wanted: sign and text, and a part of the reason; without one there is none.
    private func expect(_ wanted: String, in lines: [HeadChanges.Line]) {
        let parts = wanted.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let changed = lines.filter { $0.sign != .same }
        let found = changed.first { $0.sign.rawValue + $0.text == parts[0] }
        #expect(found != nil, "\(changed)")
        if parts[1].isEmpty {
            #expect(found?.reason == nil)
        } else {
            #expect(found?.reason?.contains(parts[1]) == true, "\(changed)")
        }
    }
}
