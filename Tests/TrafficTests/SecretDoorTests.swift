import Exchanges
import Foundation
import Redaction
import Store
import Synchronization
import TestSupport
import Testing

/// All that a store and a log can write goes through one door: no secret comes out on the other side.
@Suite struct SecretDoorTests {
    private static let secret = "zq7marked9thing"

    /// How a failure, a reason or a name may quote a secret, and a URL that holds it likewise.
    static let shapes: [(text: String, url: String)] = [
        ("no connection to https://joe:\(secret)@a.test/ at all", "https://joe:\(secret)@a.test/"),
        ("target \"http://joe:\(secret)...\" (RFC 9112 3.2)", "https://a.test/?next=https://joe:\(secret)@b.test/"),
        ("CONNECT \"joe:\(secret)@a.test:443\" (host expected)", "https://a.test/x/joe:\(secret)@b.test"),
        (
            "host \"joe:se/\(secret)@a.test\" is none",
            "https://a.test/?u=https%253A%252F%252Fjoe%253A\(secret)%2540b.test"
        ),
        (
            "no colon in the field line \"Authorization Basic \(secret)\" (RFC)",
            "https://a.test/?%2570assword=\(secret)"
        ),
        ("it said Cookie: a=1; b=\(secret)", "https://a.test/?pass%77ord=\(secret)&x=1"),
        ("GET /a?password=\(secret)&x=1", "https://a.test/a;token=\(secret)/b"),
        ("use Bearer \(secret) here", "https://a.test/a?note=Bearer%20\(secret)"),
        ("no route for GET a.test/reset-password/\(secret)", "https://a.test/reset-password/\(secret)?x=1"),
        ("{\"password\":\"\(secret)\"}", "https://a.test/invite/7/\(secret)/accept"),
    ]

    private func exchange(_ text: String, _ url: String) -> Exchange {
        var exchange = Exchange(
            startedAt: 1_700_000_000_000_000, client: .init(address: text, version: text, tls: text), method: text,
            url: url, status: 502, profile: text, route: text,
            origin: .init(
                url: text, address: text, tls: text, trust: text, trustDecision: text, version: text),
            failure: .init(side: text, stage: text, message: text, fixes: [text]), responder: text)
        exchange.reason = text
        exchange.client.app = text
        exchange.session = text
        exchange.operation = text
        exchange.origin?.trustRule = text
        exchange.origin?.chain = text
        exchange.attempts = [.init(origin: text, outcome: text)]
        exchange.rewritten = [text]
        exchange.redirectedTo = [text]
        exchange.passedMocks = [text]
        exchange.originSent = [text]
        exchange.contract = [text]
        exchange.holds = [.init(phase: text, microseconds: 1, outcome: text)]
        if let number = TraceParent.TraceID(high: 1, low: 2) {
            var trace = Exchange.Trace(id: number, span: 3, parent: 4, isSampled: true)
            trace.attempts = [.init(span: 5, origin: text, start: 0)]
            trace.attempts[0].failure = text
            exchange.trace = trace
        }
        return exchange
    }

    /// Each text of a value, empty for one that could hold some and has none, with the name of the place where it stands.
    private func texts(of value: Any, _ place: String = "") -> [(place: String, text: String)] {
        if let text = value as? String { return [(place, text)] }
        let mirror = Mirror(reflecting: value)
        let mayHoldText = mirror.displayStyle == .optional || mirror.displayStyle == .collection
        if mayHoldText, mirror.children.isEmpty { return [(place, "")] }
        return mirror.children.flatMap { texts(of: $0.value, place + "." + ($0.label ?? "")) }
    }

    private static let numbers: Set<String> = [
        ".id", ".timings.blocked", ".timings.dns", ".timings.connect", ".timings.tls", ".timings.send", ".timings.wait",
        ".timings.receive", ".bytes.decodedResponse", ".graphQLErrors", ".grpcStatus",
    ]

    /// Every kind of part, each with the secret in it.
    private func parts(_ text: String, _ url: String) -> [(RecordedPiece.Part.Kind, [UInt8])] {
        let fields = [
            "Location: \(url)", "Link: <\(url)>; rel=next", "Referer: \(url)", "Refresh: 0;url=\(url)",
            "X-Callback: \(url)", "Alt-Svc: h2=\"\(url)\"", "Shunt-Answered-By: shunt; tried=\"\(text)\"",
            "Sec-WebSocket-Protocol: bearer, \(Self.secret)", "Host: joe:\(Self.secret)@a.test",
            ":authority: \(Self.secret)@a.test", "Set-Cookie: a=1; Path=/, b=\(Self.secret)",
            "Set-Cookie: ; sid=\(Self.secret)", "Authorization Basic \(Self.secret)", "Cookie2: sid=\(Self.secret)",
        ].map { $0 + "\r\n" }.joined()
        func head(_ line: String) -> [UInt8] { Array((line + "\r\n" + fields + "\r\n").utf8) }
        func message(_ kind: MessageFacts.Kind) -> RecordedPiece.Part.Kind {
            .message(MessageFacts(time: 0, sender: .origin, kind: kind, length: Int64(text.utf8.count + 2)))
        }
        return [
            (.clientRequest, head("GET \(url) HTTP/1.1")),
            (.originRequest, head("CONNECT \(Self.secret)@a.test:443 HTTP/1.1")),
            (.originResponse, head("HTTP/1.1 502 \(text)")),
            (.clientResponse, Array("HTTP/1.1 502 Bad\r\nShunt-Answered-By: shunt; error=origin-wait\r\n\r\n".utf8)),
            (.responseBody, Array("502 Bad Gateway\nshunt: \(text)\n".utf8)),
            (.requestTrailers, Array((fields + "\r\n").utf8)), (.responseTrailers, Array((fields + "\r\n").utf8)),
            (.eventType, Array(text.utf8)), (.eventID, Array(text.utf8)),
            (message(.error), Array(text.utf8)), (message(.close), [3, 232] + Array(text.utf8)),
        ]
    }

    private func lines(_ write: (LogWriter) -> Void, _ format: LogFormat) throws -> String {
        let folder = try TemporaryFolder()
        let file = fopen(folder.path + "/log", "w")
        let log = try LogWriter(descriptor: fileno(file), format: format)
        write(log)
        log.finish()
        fclose(file)
        return try folder.read("log")
    }

    @Test(arguments: 0..<shapes.count)
    func `no text of an exchange is written, logged or exported with a secret`(shape: Int) throws {
        let (text, url) = Self.shapes[shape]
        let exchange = exchange(text, url)
        // A new text without the secret in it would not be looked at.
        for (place, text) in texts(of: exchange) where !Self.numbers.contains(place) {
            #expect(text.contains(Self.secret), "\(place) is not covered by this test")
        }
        let told = Mutex<[WrittenExchange]>([])
        let bench = try StoreBench()
        let reader = try bench.recorded([
            Pieces.whole(1, exchange, parts(text, url)),
            Pieces.piece(2, exchange, isFirst: true, isLast: false, parts(text, url)),
            Pieces.piece(2, exchange, isFirst: false, isLast: true),
            Pieces.whole(3, exchange, Array(parts(text, url).prefix(5))),
        ]) { settings in
            settings.redact()
            settings.committed = { exchanges in told.withLock { $0 += exchanges } }
        }
        let written = told.withLock { $0 }
        #expect(written.count == 3)
        var outputs: [(name: String, bytes: [UInt8])] = []
        for format in [LogFormat.json, .text(color: false)] {
            outputs.append(
                ("log of a store", Array(try lines({ $0.exchangesWritten(written) }, format).utf8)))
            outputs.append(("log", Array(try lines({ $0.exchangeEnded(exchange) }, format).utf8)))
        }
        outputs.append(("HAR", Array(try Exports.har(reader).utf8)))
        outputs.append(("HTML", Array(try Exports.html(reader).utf8)))
        outputs.append(("lines", Array("\(try Exports.lines(reader))".utf8)))
        let folder = bench.folder.path + "/.shunt/"
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            outputs.append((file, Array(try Data(contentsOf: URL(fileURLWithPath: folder + file)))))
        }
        for (name, bytes) in outputs {
            #expect(!bytes.isEmpty || name.hasPrefix("traffic.db-"), "\(name) is empty")
            let place = Data(bytes).range(of: Data(Self.secret.utf8))
            let around = place.map { Data(bytes)[max(0, $0.lowerBound - 90)..<min(bytes.count, $0.upperBound + 20)] }
            #expect(place == nil, "\(name): \(String(decoding: around ?? Data(), as: UTF8.self))")
        }
    }

    @Test(arguments: 0..<shapes.count)
    func `a page to share has no secret, though the store keeps them`(shape: Int) throws {
        let (text, url) = Self.shapes[shape]
        let reader = try StoreBench().recorded([Pieces.whole(1, exchange(text, url), parts(text, url))])
        #expect(try Exports.har(reader).contains(Self.secret), "the store has it in clear")
        let page = try Exports.html(reader)
        let place = page.range(of: Self.secret)
        #expect(place == nil, "\(place.map { page[..<$0.upperBound].suffix(120) } ?? "")")
    }

    @Test func `a log that keeps secrets says what came`() throws {
        let exchange = exchange("plain", "https://joe:\(Self.secret)@a.test/")
        let folder = try TemporaryFolder()
        let file = fopen(folder.path + "/log", "w")
        let log = try LogWriter(descriptor: fileno(file), format: .json, keepsSecrets: true)
        log.exchangeEnded(exchange)
        log.finish()
        fclose(file)
        #expect(try folder.read("log").contains("joe:\(Self.secret)@"))
    }

    @Test(arguments: [
        "origin https://localhost:3000 refused the connection (127.0.0.1:3000: Connection refused)",
        "version \"HTP/1.1\" (RFC 9112 2.3: \"HTTP/1.1\" or \"HTTP/1.0\" is expected)",
        "profile staging has no route for GET api.shop.test/v1/verify/status?page=2",
        "byte \\x01 in a field name, after \"Set-Cookie\" (RFC 9110 5.1: a token was expected)",
        "no TLS connection to origin https://[::1]:8443: certificate has expired",
        "the request's head did not arrive within 10 s", "profile:staging", "api.test/reset-password/*",
        "accepted unverified: self-signed certificate",
        "name is missing for https://a.test/npm/@scope/pkg@1.2.3?x=mailto:joe@a.test",
    ])
    func `a text without a secret stays as it is`(text: String) {
        #expect(redactor.redact(text: text) == text)
    }

    @Test(arguments: [
        ("/reset-password/Ab12Cd34", "/reset-password/%3Credacted:reset-password:#%3E"),
        ("/verify/123456?x=1", "/verify/%3Credacted:verify:#%3E?x=1"),
        (
            "/magic/Ab1/next/9zQ1?token=2",
            "/magic/%3Credacted:magic:#%3E/next/%3Credacted:magic:#%3E?token=%3Credacted:token:#%3E"
        ),
        (
            "/3/device/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",
            "/3/device/%3Credacted:device:#%3E"
        ),
        (
            "/3/device/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",
            "/3/device/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
        ),
        (
            "/3/devices/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",
            "/3/devices/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
        ),
        (
            "/wpush/v2/gAAAAABk" + String(repeating: "Zy-_", count: 20) + "?ttl=1",
            "/wpush/v2/%3Credacted:v2:#%3E?ttl=1"
        ),
        ("/fcm/send/a1B2c3:APA91b" + String(repeating: "x9", count: 30), "/fcm/send/%3Credacted:send:#%3E"),
        ("/verify/status", "/verify/status"), ("/invite/42/accept", "/invite/42/accept"),
        ("/v1/orders/8f14e45fceea167a", "/v1/orders/8f14e45fceea167a"),
        ("/a?%2570assword=x&y=1", "/a?%2570assword=%3Credacted:password:#%3E&y=1"),
        ("/a?%252570assword=x", "/a?%252570assword=%3Credacted:password:#%3E"),
        ("/a?u=https://j:p@b.test/", "/a?u=https://%3Credacted%3Auserinfo%3A#%3E@b.test/"),
        ("/a?u=https:%5C%5Cj:p@b.test/", "/a?u=https:%5C%5C%3Credacted%3Auserinfo%3A#%3E@b.test/"),
        ("/a?u=j%3Ap%40b.test", "/a?u=%3Credacted%3Auserinfo%3A#%3E%40b.test"),
        ("/a?mail=joe@a.test&r=acct:joe@a.test", "/a?mail=joe@a.test&r=acct:joe@a.test"),
    ])
    func `a URL loses the secrets of its path, of URLs within, and behind names escaped twice`(
        url: String, expected: String
    ) {
        #expect(shortened(redactor.redact(url: url)) == expected)
        // What is replaced stays as it is when it is read once more.
        #expect(
            redactor.redact(url: expected.replacing("#", with: "0123456789")).contains("reset")
                == expected.contains("reset"))
    }

    @Test(arguments: [
        "/3/%64evice/TOKEN", "//3/device/TOKEN", "/3/device//TOKEN", "/3/device/TOKEN/", "/3/Device/TOKEN?x=1",
        "/3%2Fdevice%2FTOKEN", "/3/device%2fTOKEN/", "/3/device/%61TOKEN", "/3/device/TOKEN%61", "/3/device;v=1/TOKEN",
        "/3/device/TOKEN;v=1", "/3/device/./TOKEN", "/3/device/x/../TOKEN", "/3/x/%2e%2e/device/%2e/TOKEN",
        "https://api.push.apple.com/3/device/TOKEN", "/3/device/TOKEN/..", "/3/device/TOKEN/3/DEVICE//TOKEN",
        "/\(String(repeating: "ab/", count: 300))device/TOKEN", "/3/device/TOKEN`.", "/3/device/TOKEN HTTP/1.1 x",
        "/3/device/TOKEN\"}", "/3/device/TOKEN,", "/3/device/TOKEN%zz", "/3/device/TOKEN%",
    ])
    func `a device token goes in every spelling of its path`(path: String) {
        let token = String(repeating: "a0B1", count: 16)
        let redacted = redactor.redact(url: path.replacing("TOKEN", with: token))
        #expect(!redacted.contains(token.suffix(32)) && redacted.contains("redacted"), "\(redacted)")
    }

    @Test(arguments: ["see `shunt explain http://a.test/3/device/TOKEN`.", "(http://a.test/3/device/TOKEN)"])
    func `a device token goes within a text`(text: String) {
        let token = String(repeating: "a0B1", count: 16)
        let redacted = redactor.redact(text: text.replacing("TOKEN", with: token))
        #expect(!redacted.contains(token.suffix(32)) && redacted.contains("redacted"), "\(redacted)")
    }

    @Test(arguments: [
        "byte \\x01 in the request target, after \"/3/device/TOKEN...\" (RFC 3986 2: it must be percent-encoded)",
        "no version after the target \"/3/device/TOKEN...\" (RFC 9112 3: \"HTTP/1.1\" was expected)",
        "target \"3/device/TOKEN...\" (RFC 9112 3.2: a path, or a URL that begins with http:// or https://)",
        "target \"ftp://x/3/device/TOKEN...\" (RFC 9112 3.2: a path, or a URL that begins with http:// or https://)",
    ])
    func `a device token goes in a quotation that was cut off`(text: String) {
        let token = String(repeating: "a0B1", count: 16).prefix(43)
        let redacted = redactor.redact(text: text.replacing("TOKEN", with: token))
        #expect(!redacted.contains(token.suffix(16)) && redacted.contains("redacted"), "\(redacted)")
    }

    /// Apps send tokens like this by mistake.
    @Test(arguments: [
        "/3/device/<TOKEN>", "/3/device/%3CTOKEN%3E", "/3/device/%20TOKEN", "/3/device/TOKENz", "/3/device/xTOKEN",
        "/3/device/TOKEN-1", "/3/device/%TOKEN", "/3/device/TOKEN%zz", "/3/device/TOKEN%20TOKEN",
        "/3/device/%22TOKEN%22", "/3/device/TOKEN:TOKEN", "/3/device/:TOKEN",
    ])
    func `a malformed device token goes, too`(path: String) {
        for count in [62, 64] {
            let token = String(String(repeating: "a0B1", count: 16).prefix(count))
            let spaced = token.enumerated().map { $0.offset % 8 == 7 ? "\($0.element)%20" : "\($0.element)" }.joined()
            let pairs = stride(from: 0, to: count, by: 2).map { token.dropFirst($0).prefix(2) }
            for token in [token, spaced, pairs.joined(separator: ":"), pairs.joined(separator: ",")] {
                let redacted = redactor.redact(url: "https://h.test" + path.replacing("TOKEN", with: token))
                #expect(!redacted.contains("B1") && redacted.contains("redacted"), "\(redacted)")
            }
        }
    }

    @Test(arguments: [
        "/3/device/x/TOKEN", "/3/device/..%2FTOKEN", "/TOKEN/device", "/device/%2F%2F", "/TOKEN",
        "/3/devices/TOKEN", "/device/aTOKEN%2F..%2F..", "/device/0f3c2a1e-5b6d-4e8f-9a0b-1c2d3e4f5a6b",
        "/device/da39a3ee5e6b4b0d3255bfef95601890afd80709", "/3/device/2026-11-26/TOKEN",
    ])
    func `a long number elsewhere stays`(path: String) {
        let url = path.replacing("TOKEN", with: String(repeating: "0", count: 64))
        #expect(redactor.redact(url: url) == url)
    }

    @Test(arguments: [
        ("bearer, abc", "bearer, <redacted:protocol:#>"), ("graphql-ws", "graphql-ws"),
        ("v12.stomp, v11.stomp", "v12.stomp, v11.stomp"),
        ("realtime, openai-insecure-api-key.sk-abc", "realtime, openai-insecure-api-key.<redacted:protocol:#>"),
        ("base64url.bearer.authorization.k8s.io.abc", "base64url.bearer.<redacted:protocol:#>"),
        ("chat, QmFzZTY0VGhhdElzTG9uZw", "chat, <redacted:protocol:#>"),
    ])
    func `tokens among the names of protocols go`(value: String, expected: String) {
        let line = "Sec-WebSocket-Protocol: "
        #expect(shortened(redactor.redact(fields: Array((line + value).utf8))) == line + expected)
    }
}
