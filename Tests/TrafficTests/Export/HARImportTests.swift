import Exchanges
import Foundation
import Inspection
import JSON
import Store
import TestSupport
import Testing

@Suite struct HARImportTests {
    /// Without what is another one in another store.
    private func comparable(_ har: String) throws -> String {
        var writer = JSONWriter(style: .pretty)
        writer.value(try JSONReader.read(har, dialect: .strict))
        return writer.text
    }

    @Test(arguments: [1, 7, 1000, 1 << 16]) func `what Shunt exported comes back as it was`(piece: Int) throws {
        let har = try Exports.har(try StoreBench().recorded(Exports.all()))
        let (reader, problems, _) = try Exports.imported(har, piece: piece, keepsSecrets: true)
        #expect(problems.isEmpty)
        #expect(try comparable(try Exports.har(reader)) == comparable(har))
    }

    @Test func `secrets are replaced once, and not again`() throws {
        let secret = "5f2b8a1e0c7d4e"
        let text = entry(
            request:
                #","headers":[{"name":"Cookie","value":"s=\#(secret)"}],"postData":{"mimeType":"application/json","text":"{\"password\":\"\#(secret)\"}"}"#,
            url: "https://a.test/?access_token=\(secret)")
        let (first, _, bench) = try Exports.imported(text)
        let har = try Exports.har(first)
        #expect(!har.contains(secret) && har.contains("<redacted:password:"))
        for file in try FileManager.default.contentsOfDirectory(atPath: bench.folder.path + "/.shunt") {
            let data = try Data(contentsOf: URL(fileURLWithPath: bench.folder.path + "/.shunt/" + file))
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(file)")
        }
        let (second, _, _) = try Exports.imported(har)
        #expect(try comparable(try Exports.har(second)) == comparable(har))
        let (kept, _, _) = try Exports.imported(text, keepsSecrets: true)
        #expect(try Exports.har(kept).contains("s=\(secret)"))
        // That secrets were replaced is what the file says, and not known.
        let claim = text.replacing("\"request\":{", with: "\"_redacted\":true,\"request\":{")
        #expect(try !Exports.har(try Exports.imported(claim).0).contains(secret))
    }

    private func entry(
        request: String = "", response: String = "", more: String = "", url: String = "http://a.test/x",
        started: String = "2026-01-02T03:04:05.678Z", status: String = "200"
    ) -> String {
        #"{"log":{"version":"1.2","creator":{"name":"other","version":"9"},"pages":[{"id":"p","entries":[1]}],"entries":["#
            + "\n"
            + #"{"startedDateTime":"\#(started)","request":{"method":"GET","url":"\#(url)"\#(request)},"response":{"status":\#(status)\#(response)}\#(more)}]}}"#
    }

    private func exchange(_ har: String) throws -> (exchange: Exchange, record: TrafficRecord, reader: TrafficReader) {
        let (reader, problems, _) = try Exports.imported(har, keepsSecrets: true)
        #expect(problems.isEmpty)
        let record = try #require(try reader.record(1))
        return (record.summary.exchange, record, reader)
    }

    private func text(_ head: [UInt8]?) -> String { String(decoding: head ?? [], as: UTF8.self) }

    @Test(arguments: [
        ("2026-01-02T03:04:05.678Z", 1_767_323_045_678_000), ("2026-01-02T03:04:05.678123Z", 1_767_323_045_678_123),
        ("2026-01-02T04:04:05.6+01:00", 1_767_323_045_600_000), ("2026-01-01T22:04:05-0500", 1_767_323_045_000_000),
        ("2026-01-02 03:04:05,1", 1_767_323_045_100_000), ("2026-01-02T03:04Z", 1_767_323_040_000_000),
        ("1969-12-31T23:59:59.999Z", -1000), ("2000-02-29T00:00:00Z", 951_782_400_000_000),
    ])
    func `times are read in every spelling of ISO 8601`(started: String, time: Int64) throws {
        #expect(try exchange(entry(started: started)).exchange.startedAt == time)
        let (reader, _, _) = try Exports.imported(entry(started: started))
        let written = try Exports.entries(try Exports.har(reader))[0]["startedDateTime"]?.string ?? ""
        #expect(try exchange(entry(started: written)).exchange.startedAt == time)
    }

    @Test func `a byte order mark and halves of surrogate pairs do no harm`() throws {
        let body = #","content":{"mimeType":"text/plain","text":"a\ud83d b\ud83d\ude00 \\ud83d"}"#
        let (reader, problems, _) = try Exports.imported("\u{FEFF}" + entry(response: body))
        #expect(problems.isEmpty)
        #expect(try String(decoding: reader.whole(1, .response).bytes, as: UTF8.self) == "a\u{FFFD} b\u{1F600} \\ud83d")
    }

    @Test func `connecting may have TLS in it or beside it`() throws {
        func phases(_ time: String) throws -> Exchange.Timings {
            let timings = #""timings":{"blocked":-1,"dns":1,"connect":30,"ssl":20,"send":0,"wait":5,"receive":1}"#
            return try exchange(entry(more: #","time":\#(time),\#(timings)"#)).exchange.timings
        }
        let inside = try phases("37")
        #expect(inside.connect == 10_000 && inside.tls == 20_000 && inside.blocked == nil && inside.total == 37_000)
        let beside = try phases("57")
        #expect(beside.connect == 30_000 && beside.tls == 20_000)
    }

    @Test func `heads are made of what there is`() throws {
        let (found, record, _) = try exchange(
            entry(
                request: #"""
                    ,"httpVersion":"h2","headers":[{"name":":authority","value":"a.test"},{"name":"X","value":"1\n2"}],"cookies":[{"name":"a","value":"1"},{"name":"b","value":"2"}]
                    """#,
                response: #"""
                    ,"httpVersion":"HTTP/2.0","statusText":"","headers":[{"name":"set-cookie","value":"a=1\nb=2; Path=/"}],"content":{"size":3,"mimeType":""}
                    """#, url: "https://a.test:8443/p?q=1#f"))
        #expect(found.client.version == "HTTP/2" && found.responder == "origin")
        #expect(
            text(record.clientRequest)
                == "GET /p?q=1 HTTP/1.1\r\nHost: a.test:8443\r\nX: 1 2\r\nCookie: a=1; b=2\r\n\r\n")
        #expect(text(record.clientResponse) == "HTTP/1.1 200 \r\nset-cookie: a=1\r\nset-cookie: b=2; Path=/\r\n\r\n")
        #expect(found.bytes.response == 3)
    }

    @Test func `text counts where there are parameters, too, and parameters alone make a form`() throws {
        let both = #","postData":{"mimeType":"a/b","params":[{"name":"x","value":"y"}],"text":"raw"}"#
        let one = #","postData":{"mimeType":"a/b","params":[{"name":"ä b","value":"&"}]}"#
        #expect(try exchange(entry(request: both)).reader.whole(1, .request).bytes == Array("raw".utf8))
        #expect(try exchange(entry(request: one)).reader.whole(1, .request).bytes == Array("%C3%A4+b=%26".utf8))
    }

    @Test func `a body stands decoded, whatever its head says`() throws {
        let response =
            #","bodySize":5,"headers":[{"name":"Content-Encoding","value":"gzip"}],"content":{"size":5,"mimeType":"text/plain","encoding":"base64","text":"aGVs\nbG8"}"#
        let (found, record, reader) = try exchange(entry(response: response))
        #expect(try reader.whole(1, .response).bytes == Array("hello".utf8))
        #expect(record.responseBody.isDecoded && found.bytes.response == 5)
    }

    @Test(arguments: [
        (#"{"log":{"entries":[{"startedDateTime":"x"}]}}"#, 1, 20, "request is missing"),
        (#"{"log":{"entries":[{"request":5,"response":{}}]}}"#, 1, 31, "request is a number, not an object"),
        ("[]", 1, 1, "begins with `{`"), (#"{"log":{}}"#, 1, 11, "no list log.entries"),
        (#"{"log":{"entries":{}}}"#, 1, 23, "no list log.entries"),
        (#"{"log":{"entries":[7]}}"#, 1, 20, "must be an object"),
        ("{\"log\":{\"entries\":[\n  {\"request\":{", 2, 3, "ends within this entry"),
        ("{\"log\":{\"entries\":[\n  {\n \"request\": tru}]}}", 3, 13, "word"),
        (#"{"log":{"entries":[]}"#, 1, 22, "ends too early"), ("{]", 1, 2, "closes nothing"),
        (String(repeating: #"{"a":"#, count: 80), 1, 316, "too deep"),
    ])
    func `what is wrong is told with its place`(har: String, line: Int, column: Int, words: String) throws {
        let (_, problems, _) = try Exports.imported(har, piece: 3)
        #expect(problems.count == 1)
        #expect(problems.first?.line == line && problems.first?.column == column, "\(problems)")
        #expect(problems.first?.message.contains(words) == true, "\(problems)")
    }

    @Test(arguments: [
        ("started", "yesterday", "no ISO 8601 time"), ("started", "2026-13-01T00:00:00Z", "no ISO 8601 time"),
        ("url", "/relative", "no absolute HTTP URL"), ("url", "file:///etc/passwd", "no absolute HTTP URL"),
        ("status", "\"ok\"", "is no status"), ("status", "1e9", "is no status"),
        ("method", "GE T", "is no method"), ("text", "%%%", "is no Base64"),
    ])
    func `an entry that is none is left out, and the others are kept`(what: String, value: String, words: String) throws
    {
        let good = entry()
        var bad = entry(
            response: #","content":{"mimeType":"a/b","encoding":"base64","text":"\#(what == "text" ? value : "")"}"#,
            url: what == "url" ? value : "http://a.test/",
            started: what == "started" ? value : "2026-01-02T03:04:05Z", status: what == "status" ? value : "200")
        if what == "method" { bad = bad.replacingOccurrences(of: "\"GET\"", with: "\"\(value)\"") }
        let badEntry = String(bad.split(separator: "\n")[1].dropLast(3))
        let har = good.replacingOccurrences(of: "entries\":[\n", with: "entries\":[\n\(badEntry),\n")
        let (reader, problems, _) = try Exports.imported(har)
        #expect(problems.count == 1 && problems[0].entry == 0 && problems[0].line == 2)
        #expect(problems[0].message.contains(words), "\(problems)")
        #expect(try reader.count() == 1)
    }

    @Test func `no cut or changed byte makes it crash`() throws {
        let har = Array(try Exports.har(try StoreBench().recorded([Exports.login(), Exports.webSocket()])).utf8)
        var random = SystemRandomNumberGenerator()
        var seen = 0
        for _ in 0..<40 {
            var bytes = har
            for _ in 0..<3 {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[at] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.removeSubrange(at..<min(bytes.count, at + 20))
                }
            }
            let (reader, problems, _) = try Exports.imported(String(decoding: bytes, as: UTF8.self))
            seen += problems.count + Int(try reader.count())
        }
        #expect(seen >= 40)
    }
}
