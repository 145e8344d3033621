import Exchanges
import Filter
import Inspection
import Redaction
import Store
import Testing

@Suite struct HTMLExportTests {
    /// A picture of one point.
    private static let pixel: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 1, 0, 0, 0, 1]

    private func page(
        _ url: String = "https://a.test/", status: Int? = 200, type: String = "text/plain", body: [UInt8] = [],
        change: (inout RecordedPiece) -> Void = { _ in }
    ) throws -> String {
        var piece = Pieces.whole(
            1, Pieces.exchange(url: url, status: status),
            [
                (.clientRequest, Exports.head("GET / HTTP/1.1", "Host: a.test")),
                (.clientResponse, Exports.head("HTTP/1.1 200 OK", "Content-Type: \(type)")), (.responseBody, body),
            ])
        change(&piece)
        return try Exports.html(StoreBench().recorded([piece]))
    }

    @Test func `exchanges of every kind are shown with all that is known of them`() throws {
        let page = try Exports.html(StoreBench().recorded(Exports.all()))
        #expect(page.matches(of: /<details id="x([0-9]+)"/).map { String($0.1) } == (1...6).map(String.init))
        for words in [
            "<b>POST</b> <b>302</b> <bdi>https://api.shop.test/login?a=1%202&amp;b</bdi>",
            "profile    staging, by header",
            "route      api.shop.test/*", "user  Jörg", "<del>− Location: https://two.test/home</del>",
            "<ins>+ Location: https://api.shop.test/home</ins>", "X-Sum: 1",
            "failed     origin/connect: nobody listens",
            "<b class=\"bad\">failed</b>", "Messages (6)", "client → text, 3B", "1000", "event news #17",
            "<rect class=\"wait\" x=\"", "<small>The origin gets its own name; preserveHost", "6 exchanges.",
        ] {
            #expect(page.contains(words), "\(words) is missing: \(page)")
        }
    }

    @Test(arguments: [
        "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "<!--", "]]>",
        "&lt;b&gt;", "a\u{202E}b\u{2066}c", "a\u{0}b\u{1B}[31m\u{85}", "'\"`",
    ])
    func `what was recorded is text and nothing else`(text: String) throws {
        let plain = try page()
        var exchange = Pieces.exchange(url: "https://a.test/\(text)", status: 200)
        exchange.method = text
        exchange.profile = text
        exchange.route = text
        exchange.failure = .init(side: text, stage: text, message: text, fixes: [text])
        let bytes = Array(text.utf8)
        let event = MessageFacts(time: 1, sender: .origin, kind: .event, length: Int64(bytes.count))
        let hostile = try Exports.html(
            StoreBench().recorded([
                Pieces.whole(
                    1, exchange,
                    [
                        (.clientRequest, Exports.head("\(text) /\(text) HTTP/1.1", "\(text): \(text)", "X: \(text)")),
                        (.originRequest, Exports.head("GET /\(text) HTTP/1.1", "X: \(text)2")),
                        (.clientResponse, Exports.head("HTTP/1.1 200 \(text)", "Content-Type: text/html; x=\(text)")),
                        (.responseBody, bytes), (.eventType, bytes), (.message(event), bytes),
                    ])
            ]))
        // The same elements as in a plain page, and no new ones or attributes.
        let known =
            /<\/?(details|summary|b|bdi|small|p|a|h2|pre|ins|del|main|footer|script|body|html|svg|rect)( (id="x1"|class="[a-z]+"|href="#x1"))*>/
        let parts = hostile.split(separator: "<main>", maxSplits: 1)
        let body = try #require(parts.last?.split(separator: "\"use strict\"").first)
        let foreign = body.replacing(known, with: "")
        #expect(!foreign.contains("<"), "\(foreign)")
        #expect(!body.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.properties.isBidiControl })
        #expect(parts.first == plain.split(separator: "<main>", maxSplits: 1).first)
    }

    @Test func `a page refers to nothing outside and allows nothing but its own style and script`() throws {
        let page = try page(type: "image/png", body: Self.pixel)
        let policy = try #require(page.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)).1
        #expect(
            policy.contains(
                /^default-src 'none'; script-src 'sha256-[A-Za-z0-9+\/]{43}='; style-src 'sha256-[A-Za-z0-9+\/]{43}='; img-src data:; base-uri 'none'; form-action 'none'$/
            ))
        let named = page.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.1) }
        #expect(named.count == 2 && named.allSatisfy { $0.hasPrefix("data:image/png;base64,") || $0 == "#x1" })
        #expect(!page.contains("style=") && !page.contains("url(") && !page.contains("@import"))
    }

    @Test(arguments: [
        ("application/json", "{\"a\":[1,2]}", "  &quot;a&quot;: ["),
        ("application/x-www-form-urlencoded", "a=1&b=%20x", "b   x"),
        ("application/octet-stream", "\u{0}\u{1}", "00 01"), ("text/html", "<p>\n</p>", "&lt;p&gt;\n&lt;/p&gt;"),
        ("image/svg+xml", "<svg onload='x'/>", "&lt;svg onload="),
    ])
    func `a body is laid out by its type`(type: String, body: String, shown: String) throws {
        let page = try page(type: type, body: Array(body.utf8))
        #expect(page.contains(shown), "\(page)")
    }

    @Test func `small pictures are shown, other ones are named`() throws {
        #expect(try page(type: "image/png", body: Self.pixel).contains("src=\"data:image/png;base64,iVBORw0KGgo"))
        // By its bytes, since an origin may say anything.
        #expect(try page(type: "text/html", body: Self.pixel).contains("src=\"data:image/png"))
        let wide = Self.pixel.prefix(16) + [0, 1, 0, 0, 0, 0, 0, 1]
        let long = Self.pixel + [UInt8](repeating: 0, count: 300 << 10)
        for body in [Array(wide), long] {
            let page = try page(type: "image/png", body: body)
            #expect(!page.contains("<img") && page.contains("PNG of"))
        }
        let cut = try page(type: "image/png", body: Self.pixel) { $0.responseCut = true }
        #expect(!cut.contains("<img"))
    }

    @Test func `long bodies are cut, which is said, and no secret is cut in two`() throws {
        let line = String(repeating: "x", count: 99) + "\n"
        for count in [2600, 2621, 5000] {
            let body = String(repeating: line, count: count) + #"{"password": "zq7marked9thing"}"#
            let page = try page(type: "application/octet-stream", body: Array(body.utf8))
            #expect(page.utf8.count < 300 << 10 && page.contains("cut here"), "\(page.utf8.count)")
            #expect(!page.contains("zq7mark"))
        }
    }

    @Test func `rules of the exchange's profile count, where the store keeps secrets`() throws {
        var exchange = Pieces.exchange(url: "https://a.test/?colour=mauve9", status: 200)
        exchange.profile = "staging"
        let parts: [(RecordedPiece.Part.Kind, [UInt8])] = [
            (.clientRequest, Exports.head("GET /?colour=mauve9 HTTP/1.1", "X-Colour: mauve9")),
            (.clientResponse, Exports.head("HTTP/1.1 200 OK", "Content-Type: application/json")),
            (.responseBody, Array(#"{"colour": "mauve9"}"#.utf8)),
        ]
        let reader = try StoreBench().recorded([Pieces.whole(1, exchange, parts)])
        #expect(try Exports.html(reader).contains("mauve9"))
        let rules = ["staging": RedactionRules(names: ["colour", "x-colour"])]
        let page = try Exports.html(reader, rules: rules)
        #expect(!page.contains("mauve9") && page.contains("&lt;redacted:colour:"))
        #expect(page.contains("1 exchange. Secrets are replaced"))
    }

    @Test func `a filter chooses, and nothing found is an empty page`() throws {
        let reader = try StoreBench().recorded((0..<40).map(Exports.varied))
        #expect(try Exports.html(reader, "~u /varied/7$").matches(of: /<details id/).count == 1)
        #expect(try Exports.html(reader, "~u /nowhere").contains("0 exchanges."))
    }

    @Test func `an output that takes nothing ends the page`() throws {
        let reader = try StoreBench().recorded(Exports.all())
        let search = TrafficSearch(reader, try TrafficFilter(""))
        var calls = 0
        let output = ExportOutput { _ in
            calls += 1
            return false
        }
        #expect(throws: ExportFailure.self) { try HTMLExport(search, version: "1").write(to: output) }
        #expect(calls == 1)
    }
}
