import Bytes
import Exchanges
import Foundation
import Redaction
import Store
import TestSupport
import Testing

/// Secrets that the process holds itself are replaced by their value, whatever the name beside them.
@Suite struct OwnSecretTests {
    /// How a server may repeat a secret.
    private static func forms(_ secret: String) -> [String] {
        func percent(_ plain: String) -> String {
            secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: plain))) ?? ""
        }
        func lower(_ text: String) -> String {
            text.replacing(/%[0-9A-F]{2}/) { String($0.output).lowercased() }
        }
        let urls = ["-._~", "*-._", "-_.!~*'()"].map(percent)
        let pairs = ["a:\(secret)", "me:\(secret)", "you:\(secret)", secret].map { Data($0.utf8).base64EncodedString() }
        return [secret] + urls + urls.map(lower) + pairs
            + pairs.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
            + [
                secret.replacing("/", with: #"\/"#), secret.replacing("+", with: #"\u002B"#),
                secret.replacing("=", with: #"\u003d"#), secret.replacing("+", with: "&#43;"),
            ]
    }

    private static let types: [String?] = [
        nil, "application/json", "text/plain", "text/html", "application/octet-stream", "text/event-stream",
        "image/png", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b1",
    ]

    @Test(
        arguments: ["plain-words-of-one-line", "a+b/c==d+/e~f.g_h-i=", "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2lnbmVk"], types
    )
    func `no body has one, however it is written and cut into pieces`(secret: String, type: String?) throws {
        let owner = OwnSecrets()
        owner.add(secret)
        var random = SplitMix64(seed: 7)
        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        let fill = Array("abc-eyJ=%+/&<>\": {}\n")
        func noise() -> String { String((0..<number(below: 40)).map { _ in fill[number(below: fill.count)] }) }
        for form in Self.forms(secret) {
            for body in [form, #"{"note": "\#(form)"}"#, "\(noise())\n\(form)\n\(noise())", "x\(form)\(form)\n\n"] {
                let whole = redact(body, as: type)
                #expect(!whole.contains(form), "\(body) as \(type ?? "-"): \(whole)")
                for size in [1, 5, 2 + number(below: 60)] {
                    #expect(redact(body, as: type, piece: size) == whole, "\(body) as \(type ?? "-") by \(size)")
                }
            }
        }
        withExtendedLifetime(owner) {}
    }

    @Test func `one that becomes known in the middle of a stream is replaced from there on`() {
        let owner = OwnSecrets()
        let secret = "known-in-the-middle-1"
        var body = redactor.body(contentType: "text/event-stream")
        let before = body.redact(Array("data: \(secret)\n\n".utf8))
        #expect(String(decoding: before, as: UTF8.self) == "data: \(secret)\n\n", "events are seen at once")
        owner.add(secret)
        let after = String(decoding: body.redact(Array("data: \(secret)\n\n".utf8)), as: UTF8.self)
        #expect(shortened(after) == "data: <redacted:token:#>\n\n")
        // An earlier one stays, and so does one whose owner is gone.
        owner.add("known-in-the-middle-2")
        #expect(!redactor.redact(text: "it is \(secret) still").contains(secret))
    }

    @Test func `words are no secrets, and a text that is cut off hides its beginning`() {
        let owner = OwnSecrets()
        owner.add("short")
        owner.add("cut-off-in-the-middle")
        #expect(redactor.redact(text: "a short text") == "a short text")
        #expect(shortened(redactor.redact(text: "it sent cut-off-in-the-m")) == "it sent <redacted:token:#>")
        #expect(redactor.redact(text: "it sent cut-off") == "it sent cut-off")
        // A target stays one.
        #expect(shortened(redactor.redact(url: "/a/cut-off-in-the-middle?b")) == "/a/%3Credacted:token:#%3E?b")
        let head = redactor.redact(
            head: Array("GET /cut-off-in-the-middle HTTP/1.1\r\nX: cut-off-in-the-middle\r\n\r\n".utf8))
        #expect(shortened(head) == "GET /%3Credacted:token:#%3E HTTP/1.1\r\nX: <redacted:token:#>\r\n\r\n")
        let digests = digests(in: String(decoding: head, as: UTF8.self))
        #expect(Set(digests).count == 1, "equal secrets look equal")
    }

    @Test(arguments: [false, true])
    func `no store and no log has one, also where all other secrets are kept`(keepsSecrets: Bool) throws {
        let secret = "planted=\(keepsSecrets)+of/this-process"
        let basic = Data("me:\(secret)".utf8).base64EncodedString()
        let text = "it said \(secret) and \(basic)"
        var exchange = Pieces.exchange(url: "https://a.test/x?y=\(secret)&password=hunter2")
        (exchange.originSent, exchange.reason) = ([text], text)
        exchange.failure = .init(side: "origin", stage: "wait", message: text, fixes: [text])
        exchange.attempts = [.init(origin: "http://a.test", outcome: text)]
        let fields = "X-Note: \(text)\r\nAuthorization: Basic \(basic)\r\nContent-Type: text/plain\r\n\r\n"
        func message(_ kind: MessageFacts.Kind) -> RecordedPiece.Part.Kind {
            .message(MessageFacts(time: 0, sender: .origin, kind: kind, length: Int64(text.utf8.count + 2)))
        }
        let parts: [(RecordedPiece.Part.Kind, [UInt8])] = [
            (.clientRequest, Array("GET /\(secret) HTTP/1.1\r\n\(fields)".utf8)),
            (.originResponse, Array("HTTP/1.1 200 \(text)\r\n\(fields)".utf8)), (.responseBody, Array(text.utf8)),
            (.responseTrailers, Array(fields.utf8)), (message(.text), Array(text.utf8)),
            (message(.binary), Array(text.utf8)), (message(.error), Array(text.utf8)), (.eventType, Array(text.utf8)),
        ]
        let (owner, bench, written) = (OwnSecrets(), try StoreBench(), DispatchSemaphore(value: 0))
        let store = try bench.open { settings in
            if !keepsSecrets { settings.redact() }
            settings.committed = { for _ in $0 { written.signal() } }
        }
        // Heads and bodies that are the same are remembered, until there is another secret.
        let harmless = parts.map { ($0.0, $0.1.filter { $0 != UInt8(ascii: "=") }) }
        for id in 1...3 { _ = store.offer(Pieces.whole(UInt64(id), Pieces.exchange(), harmless)) }
        for _ in 1...3 { written.wait() }
        owner.add(secret)
        owner.add(secret.replacing("=", with: ""))
        for id in 4...5 { _ = store.offer(Pieces.whole(UInt64(id), exchange, parts)) }
        for id in 6...7 { _ = store.offer(Pieces.whole(UInt64(id), Pieces.exchange(), harmless)) }
        store.finish()
        let reader = try TrafficReader(bench.path)
        let folder = try TemporaryFolder()
        let file = fopen(folder.path + "/log", "w")
        let log = try LogWriter(descriptor: fileno(file), format: .json, keepsSecrets: keepsSecrets)
        log.exchangeEnded(exchange)
        log.finish()
        fclose(file)
        for text in [try Exports.har(reader), "\(try Exports.lines(reader))"] { #expect(!text.contains(secret)) }
        let logged = try folder.read("log")
        #expect(
            !logged.contains(secret) && !logged.contains(basic.prefix(40))
                && logged.contains("hunter2") == keepsSecrets, "\(logged)")
        for data in try bench.stored() { #expect(data.range(of: Data(secret.utf8)) == nil) }
        // Those that came before it was known have it.
        let bare = Data(secret.replacing("=", with: "").utf8)
        for id in 1...7 {
            let body = try reader.whole(Int64(id), .response).bytes
            #expect((Data(body).range(of: bare) != nil) == (id <= 3), "\(id)")
            #expect(Data(body).range(of: Data(basic.prefix(40).utf8)) == nil || id != 4 && id != 5, "\(id)")
        }
        withExtendedLifetime(owner) {}
    }
}
