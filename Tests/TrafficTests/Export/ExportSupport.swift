import Exchanges
import Filter
import Foundation
import Inspection
import JSON
import Redaction
import Store
import Testing

/// Exchanges of every kind, in a store, and their exports.
enum Exports {
    static func har(_ reader: TrafficReader, _ filter: String = "", threads: Int = 0) throws -> String {
        var bytes: [UInt8] = []
        let output = ExportOutput {
            bytes += $0
            return true
        }
        let search = TrafficSearch(reader, try TrafficFilter(filter))
        _ = try HARExport(search, version: "1", threads: threads).write(to: output)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func html(
        _ reader: TrafficReader, _ filter: String = "", rules: [String: RedactionRules] = [:]
    ) throws -> String {
        var bytes: [UInt8] = []
        let output = ExportOutput {
            bytes += $0
            return true
        }
        let search = TrafficSearch(reader, try TrafficFilter(filter))
        _ = try HTMLExport(search, version: "1", rules: rules).write(to: output)
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    static func lines(_ reader: TrafficReader) throws -> [JSONValue] {
        var bytes: [UInt8] = []
        let output = ExportOutput {
            bytes += $0
            return true
        }
        _ = try JSONLinesExport(TrafficSearch(reader, TrafficFilter(""))).write(to: output)
        return try bytes.split(separator: 0x0A).map { try JSONReader.read(Array($0), dialect: .strict) }
    }

    /// The entries of an HTTP Archive.
    static func entries(_ har: String) throws -> [JSONValue] {
        try JSONReader.read(har, dialect: .strict)["log"]?["entries"]?.array ?? []
    }

    /// Puts an HTTP Archive into a new store, in pieces of so many bytes.
    static func imported(
        _ har: String, piece: Int = 1 << 16, keepsSecrets: Bool = false
    ) throws -> (reader: TrafficReader, problems: [HARProblem], bench: StoreBench) {
        let bench = try StoreBench()
        let archive = try HARImport(store: bench.path, keepsSecrets: keepsSecrets)
        var fatal: [HARProblem] = []
        do throws(HARProblem) {
            var rest = Array(har.utf8)[...]
            while !rest.isEmpty {
                try archive.feed(Array(rest.prefix(piece)))
                rest = rest.dropFirst(piece)
            }
            try archive.finish()
        } catch {
            archive.abandon()
            fatal.append(error)
        }
        return (try TrafficReader(bench.path), archive.problems + fatal, bench)
    }

    /// One of many that differ; some have more of a body than waits in front of a slow output.
    static func varied(_ number: Int) -> RecordedPiece {
        let exchange = Pieces.exchange(url: "https://api.shop.test/varied/\(number)", status: 200 + number % 3)
        let text = Array("this is number \(number) ".utf8)
        let body = (0..<(number % 50 == 7 ? 15_000 : number % 5)).flatMap { _ in text } + (number % 11 == 3 ? png : [])
        return Pieces.whole(
            UInt64(number), exchange,
            [
                (.clientRequest, head("GET /varied/\(number) HTTP/1.1", "Host: api.shop.test")),
                (.clientResponse, head("HTTP/1.1 200 OK", "Content-Type: text/plain")), (.responseBody, body),
            ])
    }

    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0xFF]

    static func head(_ lines: String...) -> [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) }

    /// A login over TLS with cookies, rewritten, behind an attempt that failed.
    static func login() -> RecordedPiece {
        var exchange = Pieces.exchange(url: "https://api.shop.test/login?a=1%202&b", started: 1_700_000_000_123_000)
        exchange.method = "POST"
        exchange.client.tls = "TLSv1.3"
        exchange.profile = "staging"
        exchange.reason = "header"
        exchange.route = "api.shop.test/*"
        exchange.responder = "origin"
        exchange.retries = 1
        exchange.isUnlocked = true
        exchange.rewritten = ["-Set-Cookie Domain", "+Location"]
        exchange.attempts = [.init(origin: "https://one.test", outcome: "connect: refused")]
        exchange.origin = .init(
            url: "https://two.test", address: "[2001:db8::1]:443", isReused: false, tls: "TLSv1.3", isResumed: true,
            trust: "pinned", trustDecision: "the pin matches", version: "HTTP/1.1")
        exchange.timings.dns = 1500
        exchange.timings.connect = 2000
        exchange.timings.tls = 3250
        exchange.timings.send = 10
        exchange.timings.wait = 40_000
        exchange.timings.receive = 1
        exchange.timings.total = 47_000
        exchange.bytes.request = 27
        exchange.bytes.response = 15
        exchange.status = 302
        return Pieces.whole(
            1, exchange,
            [
                (
                    .clientRequest,
                    head(
                        "POST /login?a=1%202&b HTTP/1.1", "Host: api.shop.test", "Cookie: theme=dark; id=4",
                        "Content-Type: application/x-www-form-urlencoded", "Content-Length: 27", "X-Twice: a",
                        "X-Twice: b")
                ),
                (.originRequest, head("POST /login?a=1%202&b HTTP/1.1", "Host: two.test")),
                (.requestBody, Array("user=J%C3%B6rg&note=a+b%26c%3D".utf8)),
                (.originResponse, head("HTTP/1.1 302 Found", "Location: https://two.test/home")),
                (
                    .clientResponse,
                    head(
                        "HTTP/1.1 302 Found", "Location: https://api.shop.test/home",
                        "set-cookie: s=1; PATH=/; Domain=shop.test; expires=Wed, 21 Oct 2026 07:28:00 GMT; httponly; SECURE",
                        "Set-Cookie: t=2; Max-Age=60; SameSite=Lax", "Content-Type: text/plain")
                ),
                (.responseBody, Array("see “home” \\ \u{7} \u{1F600}".utf8)),
                (.responseTrailers, Array("X-Sum: 1\r\n\r\n".utf8)),
            ])
    }

    /// A request that went to an origin of HTTP/2.
    static func multiplexed() -> RecordedPiece {
        var exchange = Pieces.exchange(url: "https://api.shop.test/a?b=1", status: 200)
        exchange.origin = .init(url: "https://two.test", address: "192.0.2.2:443", version: "HTTP/2")
        return Pieces.whole(
            6, exchange,
            [
                (.clientRequest, head("GET /a?b=1 HTTP/1.1", "Host: api.shop.test", "X-Own: 1")), sentFields,
                (.originResponse, head("HTTP/1.1 200 ")), (.clientResponse, head("HTTP/1.1 200 ")),
            ])
    }

    static let sentFields: (RecordedPiece.Part.Kind, [UInt8]) = (
        .originRequest,
        head(":method: GET", ":path: /a?b=1", ":scheme: https", ":authority: two.test", "x-own: 1", "via: 1.1 shunt")
    )

    static func failed() -> RecordedPiece {
        var exchange = Pieces.exchange(url: "http://gone.test", status: nil)
        exchange.failure = .init(side: "origin", stage: "connect", message: "nobody listens at 192.0.2.1:80")
        exchange.timings.total = 900
        return Pieces.whole(2, exchange, [(.clientRequest, head("GET / HTTP/1.1", "Host: gone.test"))])
    }

    static func image() -> RecordedPiece {
        var exchange = Pieces.exchange(url: "http://img.test/a.png")
        exchange.method = "PUT"
        exchange.bytes.response = UInt64(png.count)
        exchange.bytes.request = UInt64(png.count)
        return Pieces.whole(
            3, exchange,
            [
                (.clientRequest, head("PUT /a.png HTTP/1.1", "Host: img.test", "Content-Type: image/png")),
                (.requestBody, png), (.clientResponse, head("HTTP/1.1 200 OK", "Content-Type: image/png")),
                (.responseBody, png),
            ])
    }

    static func webSocket() -> RecordedPiece {
        func message(_ sender: MessageFacts.Sender, _ kind: MessageFacts.Kind, _ length: Int) -> RecordedPiece.Part.Kind
        {
            var facts = MessageFacts(
                time: 1_700_000_000_500_001, sender: sender, kind: kind, length: Int64(length))
            facts.isCut = length == 9
            return .message(facts)
        }
        return Pieces.whole(
            4, Pieces.exchange(url: "ws://chat.test/", status: 101),
            [
                (
                    .clientRequest,
                    head("GET / HTTP/1.1", "Host: chat.test", "Upgrade: websocket", "Connection: Upgrade")
                ),
                (.clientResponse, head("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket")),
                (message(.client, .text, 3), Array("hi\n".utf8)), (message(.origin, .binary, 10), png),
                (message(.origin, .ping, 0), []), (message(.client, .pong, 0), []),
                (message(.origin, .text, 9), Array("six".utf8)), (message(.origin, .close, 2), [3, 232]),
            ])
    }

    static func events() -> RecordedPiece {
        let facts = MessageFacts(time: 1_700_000_001_000_000, sender: .origin, kind: .event, length: 7)
        let error = MessageFacts(time: 1_700_000_001_000_000, sender: .origin, kind: .error, length: 7)
        return Pieces.whole(
            5, Pieces.exchange(url: "http://news.test/"),
            [
                (.clientRequest, head("GET / HTTP/1.0", "Host: news.test")),
                (.clientResponse, head("HTTP/1.0 200 Fine so far", "Content-Type: text/event-stream")),
                (.eventType, Array("news".utf8)), (.eventID, Array("17".utf8)),
                (.message(facts), Array("data: 1".utf8)), (.message(error), Array("no more".utf8)),
            ])
    }

    static func all() -> [RecordedPiece] { [login(), failed(), image(), webSocket(), events(), multiplexed()] }
}
