import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

/// URLs of archives, which all tools must be able to read, and what is left of the recorded ones.
@Suite struct ArchiveURLTests {
    private static let made = "http://unreadable.invalid/"
    /// What is recorded, and what stands in its place; nil where it stays.
    private static let rows: [(recorded: String, written: String?)] = [
        ("http://a.test", nil), ("https://a.test:8443/p?q=1#f", nil), ("http://a:/", nil), ("ws://a_b-c/", nil),
        ("HTTP://A.TEST./x", nil), ("http://192.0.2.1:80/a|b?<{\"", nil), ("http://[2001:db8::1]:1/", nil),
        ("http://123.test/", nil), ("http://a.test/ä", nil), ("http://a.test/\\x", nil),
        ("", made), ("BROKEN", made), ("GET /a HTTP/1.1", made), ("/path", made), ("http://", made),
        ("http:///a", made), ("http://*", made), ("http://a..b/", made), ("http://.a/", made),
        ("http://1.2.3.4.5/", made), ("http://256.1.1.1/", made), ("http://1/", made), ("http://a.0x1f/", made),
        ("http://[::g]/", made), ("http://[v1.a]/", made), ("http://[::1", made), ("http://[::1]x/", made),
        ("http://a:65536/", made), ("http://a:1a/", made), ("http://a:80:80/", made), ("http://a b/", made),
        ("http://a%20b/", made), ("http://a\\b/", made), ("http://a!b/", made), ("http://u:p@a/", made),
        ("http://xn--a/", made), ("ftp://a/", made), ("http://a/\u{1}", made), ("\u{FFFD}\u{0}", made),
        ("http://a.test*", "http://a.test/"), ("https://a.test:80*", "https://a.test:80/"),
        ("https://[::1]*", "https://[::1]/"), ("http://a b*", made),
    ]

    private func recorded() throws -> TrafficReader {
        try StoreBench().recorded(
            Self.rows.enumerated().map { index, row in
                var exchange = Pieces.exchange(url: row.recorded)
                exchange.method = row.recorded.hasSuffix("*") ? "OPTIONS" : "GET"
                return Pieces.whole(
                    UInt64(index + 1), exchange,
                    [
                        (.clientRequest, Exports.head("GET /\(index) HTTP/1.1", "X: 1")),
                        (.clientResponse, Exports.head("HTTP/1.1 200 OK")),
                    ])
            })
    }

    @Test func `a URL that not every tool reads is replaced, and stands beside`() throws {
        let entries = try Exports.entries(try Exports.har(try recorded()))
        #expect(entries.count == Self.rows.count)
        for (entry, row) in zip(entries, Self.rows) {
            #expect(entry["request"]?["url"]?.string == row.written ?? row.recorded)
            #expect(entry["request"]?["_url"]?.string == (row.written == nil ? nil : row.recorded))
        }
    }

    @Test(arguments: [
        [
            "python3", "-c",
            "import json, sys; from urllib.parse import urlsplit as s\nfor u in json.load(open(sys.argv[1])): assert s(u).hostname and (s(u).port or 1) > 0, u",
        ],
        ["node", "-e", "JSON.parse(require('fs').readFileSync(process.argv[1])).forEach(u => new URL(u))"],
    ])
    func `readers of URLs take each of them`(program: [String]) throws {
        guard try ChildProcess.run("/bin/sh", ["-c", "command -v \(program[0])"]).status == 0 else { return }
        let folder = try TemporaryFolder()
        func read(_ urls: [String]) throws -> ChildProcess.Result {
            var list = JSONWriter()
            list.array { for url in urls { $0.value(url) } }
            return try ChildProcess.run(
                "/usr/bin/env", program + [try folder.write("urls.json", list.text)])
        }
        let entries = try Exports.entries(try Exports.har(try recorded()))
        let result = try read(entries.compactMap { $0["request"]?["url"]?.string })
        #expect(result.status == 0, "\(result.errors)")
        #expect(try read(["http://[::g]/"]).status != 0, "it reads anything")
    }

    @Test func `what was recorded without a URL comes back as it was`() throws {
        let har = try Exports.har(try recorded())
        let (reader, problems, _) = try Exports.imported(har, keepsSecrets: true)
        #expect(problems.isEmpty, "\(problems)")
        #expect(try reader.page(after: 0, limit: 100).map(\.exchange.url) == Self.rows.map(\.recorded))
        #expect(try Exports.har(reader) == har)
    }

    @Test func `what other tools say beside a URL does not count`() throws {
        let har = """
            {"log":{"entries":[{"startedDateTime":"2026-01-02T03:04:05Z",
            "request":{"method":"GET","url":"http://a.test/","_url":"BROKEN"},"response":{"status":200}}]}}
            """
        let (reader, problems, _) = try Exports.imported(har)
        #expect(problems.isEmpty)
        #expect(try reader.record(1)?.summary.exchange.url == "http://a.test/")
    }

    @Test func `a response that was not delivered, and a handshake that failed, come back as they were`() throws {
        var gone = Pieces.exchange(url: "http://a.test/x", status: nil)
        gone.failure = .init(side: "client", stage: "deliver", message: "the client went away")
        gone.bytes.response = 5
        var handshake = Exchange(
            startedAt: 1_700_000_000_000_000, client: .init(address: "127.0.0.1:5", version: "", tls: nil), method: "-",
            url: "")
        handshake.failure = .init(side: "client", stage: "tls", message: "no shared cipher")
        let har = try Exports.har(
            try StoreBench().recorded([
                Pieces.whole(
                    1, gone,
                    [
                        (.clientRequest, Exports.head("GET /x HTTP/1.1", "Host: a.test")),
                        (.originResponse, Exports.head("HTTP/1.0 203 Fine", "Content-Type: text/plain")),
                        (.responseBody, Array("hello".utf8)),
                    ]),
                Pieces.whole(2, handshake),
            ]))
        let (reader, problems, _) = try Exports.imported(har)
        #expect(problems.isEmpty, "\(problems)")
        #expect(try Exports.har(reader) == har)
        #expect(try String(decoding: reader.whole(1, .response).bytes, as: UTF8.self) == "hello")
    }

    /// As Chromium writes them: the length of the body, what of it is there, and the bytes on the wire.
    @Test(arguments: [
        (#""bodySize":1200,"headers":[{"name":"content-encoding","value":"br"}]"#, #""size":5000"#, 5000),
        (#""bodySize":1200,"headers":[{"name":"content-encoding","value":"gzip"}]"#, #""size":7,"text":"seven77""#, 7),
        (#""bodySize":0,"headers":[]"#, #""size":5000,"text":"short""#, 5000),
        (#""bodySize":-1,"headers":[]"#, #""size":5000"#, 5000), (#""bodySize":12,"headers":[]"#, #""size":0"#, 0),
        (#""bodySize":3,"headers":[]"#, #""text":"abc""#, 3), (#""bodySize":3,"headers":[]"#, #""size":-1"#, 3),
    ])
    func `the size of the body that another tool tells stays`(response: String, body: String, size: Int64) throws {
        let har = """
            {"log":{"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","request":{"method":"GET","url":"http://a.test/"},
            "response":{"status":200,\(response),"content":{"mimeType":"text/plain",\(body)}}}]}}
            """
        let (reader, problems, _) = try Exports.imported(har)
        #expect(problems.isEmpty, "\(problems)")
        let once = try Exports.har(reader)
        #expect(try Exports.entries(once).first?["response"]?["content"]?["size"]?.number?.int64 == size)
        #expect(try Exports.har(Exports.imported(once).reader) == once)
    }
}
