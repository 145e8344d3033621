import Exchanges
import Testing

/// Lines of the log for people, in pipes and on terminals.
@Suite struct LogLineTests {
    /// What is told of an exchange, and its line behind the time of day.
    struct Row: CustomTestStringConvertible {
        let name: String
        let line: String
        /// On a terminal of 120 columns.
        let columns: String
        let change: @Sendable (inout Exchange) -> Void

        init(_ name: String, _ line: String, _ columns: String, _ change: @escaping @Sendable (inout Exchange) -> Void)
        {
            (self.name, self.line, self.columns, self.change) = (name, line, columns, change)
        }

        var testDescription: String { name }
    }

    private static func sample() -> Exchange {
        var exchange = Exchange(
            startedAt: 1_700_000_000_123_456,
            client: .init(address: "127.0.0.1:5000", version: "HTTP/1.1", tls: "TLSv1.3"), method: "GET",
            url: "https://api.shop.test/cart", status: 200, profile: "local")
        exchange.reason = "active"
        exchange.responder = "origin"
        exchange.timings.total = 1500
        exchange.bytes.response = 3400
        return exchange
    }

    private static func origin(_ url: String, _ trust: String? = nil, isReused: Bool = false) -> Exchange.OriginFacts {
        .init(url: url, address: "[::1]:3000", isReused: isReused, trust: trust)
    }

    static let rows: [Row] = [
        Row(
            "an origin whose certificate was verified",
            "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] → https://localhost:3000 trust=default",
            "200   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local] → https://localhost:3000"
        ) { $0.origin = origin("https://localhost:3000", "default") },
        Row(
            "an origin whose certificate was not verified",
            "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] → https://localhost:3000 trust=disabled unverified reused",
            "200   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local] → https://localhost:3000 unverified reused"
        ) { $0.origin = origin("https://localhost:3000", "disabled", isReused: true) },
        Row(
            "a rule that does not check the host",
            "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] → https://a.test trust=publicKeys unverified",
            "200   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local] → https://a.test trust=publicKeys unverified"
        ) { $0.origin = origin("https://a.test", "publicKeys-unverified") },
        Row(
            "a mock", "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] → mock",
            "200   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local] → mock"
        ) { $0.responder = "mock" },
        Row(
            "a request with a body to a fault of a mock",
            "POST https://api.shop.test/cart 503 1.5ms ↑12B ↓3.4kB [local by header] → mock fault network",
            "503   1.5ms   ↓3.4kB POST https://api.shop.test/cart [local by header] → mock fault network ↑12B"
        ) {
            ($0.method, $0.status, $0.responder, $0.reason) = ("POST", 503, "mock", "header")
            $0.bytes.request = 12
            $0.rewritten = ["+fault", "+network"]
        },
        Row(
            "secrets in a URL",
            "GET https://<redacted:userinfo>@a.test/reset/<redacted:reset>?token=<redacted:token>&x=%3Cy%3E 200 1.5ms ↑0B ↓3.4kB [local] → files",
            "200   1.5ms   ↓3.4kB GET  <redacted:userinfo>@a.test/reset/<redacted:…cted:token>&x=%3Cy%3E [local] → files"
        ) {
            $0.responder = "files"
            $0.url =
                "https://%3Credacted%3Auserinfo%3A0123456789%3E@a.test/reset/%3Credacted:reset:9d1bb85535%3E"
                + "?token=%3Credacted:token:3a44777d88%3E&x=%3Cy%3E"
        },
        Row(
            "an origin that refuses",
            "GET https://api.shop.test/cart 502 1.5ms ↑0B ↓3.4kB [local] → https://localhost:3000 refused the connection",
            "502   1.5ms   ↓3.4kB GET  api.shop.test/cart [local] → https://localhost:3000 refused the connection"
        ) {
            $0.status = 502
            $0.origin = origin("https://localhost:3000", "disabled")
            $0.failure = .init(
                side: "origin", stage: "connect",
                message: "origin https://localhost:3000 refused the connection ([::1]:3000: Connection refused)")
        },
        Row(
            "a certificate that was rejected",
            "GET https://api.shop.test/cart 502 1.5ms ↑0B ↓3.4kB [local] → https://a.test trust=default no TLS: certificate rejected: self-signed certificate",
            "502   1.5ms   ↓3.4kB GET  api.shop.t…/cart [local] → https://a.test no TLS: certificate rejected: self-sig…"
        ) {
            $0.status = 502
            $0.origin = origin("https://a.test", "default")
            $0.failure = .init(
                side: "origin", stage: "tls",
                message: "no TLS connection to origin https://a.test: the origin's certificate was rejected: "
                    + "self-signed certificate (seen: CN=wrong, issued by CN=wrong)")
        },
        Row(
            "a name without an address",
            "GET https://api.shop.test/cart 502 1.5ms ↑0B ↓3.4kB [local] → https://a.invalid has no address for its name: not known",
            "502   1.5ms   ↓3.4kB GET  api.shop.t…/cart [local] → https://a.invalid has no address for its name: not kn…"
        ) {
            $0.status = 502
            $0.origin = origin("https://a.invalid", "default")
            $0.failure = .init(
                side: "origin", stage: "resolve",
                message: "the name a.invalid of origin https://a.invalid has no address: not known")
        },
        Row(
            "a proxy on the way that refuses",
            "GET https://api.shop.test/cart 502 1.5ms ↑0B ↓3.4kB [local] → https://a.test the proxy http://p:3128 on the way refused: HTTP/1.1 403 No",
            "502   1.5ms   ↓3.4kB GET  api.shop.t…/cart [local] → https://a.test the proxy http://p:3128 on the way ref…"
        ) {
            $0.status = 502
            $0.origin = origin("https://a.test", "default")
            $0.failure = .init(
                side: "origin", stage: "connect",
                message: "the proxy http://p:3128 on the way to https://a.test refused: HTTP/1.1 403 No")
        },
        Row(
            "an attempt that failed before",
            "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] ✗ http://localhost:1 refused the connection → https://a.test trust=default",
            "200   1.5ms   ↓3.4kB GET  api.shop.t…/cart [local] ✗ http://localhost:1 refused the connection → https://a…"
        ) {
            $0.attempts = [
                .init(origin: "http://localhost:1", outcome: "origin http://localhost:1 refused the connection (x: y)")
            ]
            $0.origin = origin("https://a.test", "default")
        },
        Row(
            "a request that cannot be read",
            "- GET / HTTP/1.1 400 1.5ms ↑0B ↓3.4kB client: both Content-Length and Transfer-Encoding",
            "400   1.5ms   ↓3.4kB -    GET / HTTP/1.1 client: both Content-Length and Transfer-Encoding"
        ) {
            ($0.method, $0.url, $0.status, $0.profile, $0.responder) = ("-", "GET / HTTP/1.1", 400, nil, "shunt")
            $0.failure = .init(
                side: "client", stage: "head", message: "both Content-Length and Transfer-Encoding (RFC 9112 6.3: one)")
        },
        Row(
            "a tunnel", "CONNECT far.test:443 200 1.5ms ↑0B ↓3.4kB [local] UNLOCKED → tunnel, not read",
            "200   1.5ms   ↓3.4kB CONNECT far.test:443 [local] UNLOCKED → tunnel, not read"
        ) {
            ($0.method, $0.url, $0.responder, $0.isUnlocked) = ("CONNECT", "https://far.test:443", "tunnel", true)
        },
        Row(
            "a tunnel to a host that refuses",
            "CONNECT far.test:80 502 1.5ms ↑0B ↓3.4kB [local] no tunnel: refused the connection",
            "502   1.5ms   ↓3.4kB CONNECT far.test:80 [local] no tunnel: refused the connection"
        ) {
            ($0.method, $0.url, $0.responder, $0.status) = ("CONNECT", "http://far.test:80", "tunnel", 502)
            $0.failure = .init(
                side: "origin", stage: "connect", message: "origin http://far.test refused the connection (x: y)")
        },
        Row(
            "a proxy's request in absolute form",
            "GET https://api.shop.test/cart 200 1.5ms ↑0B ↓3.4kB [local] trust=default",
            "200   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local]"
        ) { $0.origin = origin("https://api.shop.test", "default") },
        Row(
            "a redirect to production, with details",
            "GET https://api.shop.test/cart 302 1.5ms ↑0B ↓3.4kB [local] REDIRECTS TO production → https://a.test trust=default retried rewrote Location, -Alt-Svc",
            "302   1.5ms   ↓3.4kB GET  https://api.shop.test/cart [local] REDIRECTS TO production → https://a.test"
        ) {
            ($0.status, $0.redirectedTo, $0.retries) = (302, ["production"], 1)
            $0.rewritten = ["Location", "-Alt-Svc"]
            $0.origin = origin("https://a.test", "default")
        },
    ]

    private func line(_ exchange: Exchange, width: Int? = nil, color: Bool = false, isRunning: Bool = false) -> String {
        var bytes: [UInt8] = []
        if let width {
            TerminalLine(color: color, width: width).append(exchange, isRunning: isRunning, to: &bytes)
        } else {
            TextLine(color: color).append(exchange, isRunning: isRunning, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: rows) func `a line names each thing once, and the reason in one clause`(row: Row) {
        var exchange = Self.sample()
        row.change(&exchange)
        #expect(line(exchange).dropFirst(13) == row.line + "\n")
        #expect(line(exchange, width: 120).dropFirst(13) == row.columns + "\n")
    }

    @Test(arguments: rows) func `colours and the width of a terminal change no text of a pipe`(row: Row) {
        var exchange = Self.sample()
        row.change(&exchange)
        let plain = line(exchange, color: true).replacing(/\u{1b}\[[0-9]+m/, with: "")
        #expect(plain == line(exchange))
        #expect(
            line(exchange, width: 90, color: true).replacing(/\u{1b}\[[0-9]+m/, with: "") == line(exchange, width: 90))
    }

    @Test func `columns stand below each other, and no line is wider than the terminal`() {
        for width in [80, 100, 120, 200] {
            let lines = Self.rows.map { row in
                var exchange = Self.sample()
                row.change(&exchange)
                exchange.url += "/" + String(repeating: "long/", count: 60)
                return line(exchange, width: width).dropLast()
            }
            #expect(lines.allSatisfy { $0.count <= width || $0.contains("REDIRECTS") }, "\(lines)")
            let places = Set(
                lines.map { $0.distance(from: $0.startIndex, to: $0.firstIndex(of: "↓") ?? $0.startIndex) })
            #expect(places.count == 1, "\(lines)")
        }
    }

    @Test func `warnings are whole on the narrowest terminal`() {
        var exchange = Self.sample()
        exchange.isUnlocked = true
        exchange.redirectedTo = ["production"]
        #expect(line(exchange, width: 10).contains(" UNLOCKED REDIRECTS TO production"))
    }

    @Test func `what runs says so in the column of its duration`() {
        var exchange = Self.sample()
        exchange.status = nil
        #expect(line(exchange, isRunning: true).contains("/cart ... running ↑0B"))
        #expect(line(exchange, width: 120, isRunning: true).contains(" ... running   ↓3.4kB GET"))
    }
}
