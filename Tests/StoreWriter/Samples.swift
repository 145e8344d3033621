import Exchanges
import Store

/// Exchanges as an app and its server have them.
struct Samples {
    static let requestHead = Array(
        """
        POST /v1/carts/17/items?page=2&sort=price HTTP/1.1\r
        Host: api.shop.test\r
        User-Agent: ShopApp/5.2 (iPhone; iOS 18.1; Scale/3.00)\r
        Accept: application/json\r
        Accept-Encoding: gzip, deflate, br\r
        Accept-Language: de-DE,de;q=0.9,en;q=0.8\r
        Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P\r
        Content-Type: application/json; charset=utf-8\r
        Content-Length: 1024\r
        X-Request-Id: 0191d9a6-2f0b-7c3e-9d0f-5b7f0a4f1c11\r
        Cookie: session=5f2b8a1e0c7d4e; theme=dark\r
        Connection: keep-alive\r
        \r

        """.utf8)

    static let responseHead = Array(
        """
        HTTP/1.1 200 OK\r
        Server: nginx\r
        Date: Sat, 01 Aug 2026 10:00:00 GMT\r
        Content-Type: application/json\r
        Content-Length: 1024\r
        Cache-Control: no-store\r
        Vary: Accept-Encoding, Origin\r
        X-Request-Id: 0191d9a6-2f0b-7c3e-9d0f-5b7f0a4f1c11\r
        Strict-Transport-Security: max-age=31536000\r
        Connection: keep-alive\r
        \r

        """.utf8)

    static let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1024)

    static func exchange(_ number: UInt64, hosts: UInt64 = 1) -> Exchange {
        let host = hosts > 1 ? "api\(number % hosts).shop.test" : "api.shop.test"
        var exchange = Exchange(
            startedAt: 1_780_000_000_000_000 + Int64(number) * 1000,
            client: .init(address: "127.0.0.1:50123", version: "HTTP/1.1", tls: "TLSv1.3"), method: "POST",
            url: "https://\(host)/v1/carts/17/items?page=2&sort=price", status: number % 50 == 0 ? 404 : 200,
            profile: "staging", route: "api.shop.test/v1/*", responder: "origin")
        exchange.origin = .init(
            url: "https://staging.shop.test", address: "192.0.2.17:443", isReused: true, tls: "TLSv1.3",
            trust: "default", trustDecision: "verified", version: "HTTP/1.1")
        exchange.reason = "active"
        exchange.timings.send = 20
        exchange.timings.wait = 1200 + number % 1000
        exchange.timings.receive = 80
        exchange.timings.total = 1300 + number % 1000
        exchange.bytes.request = 1024
        exchange.bytes.response = 1024
        return exchange
    }

    /// What a benchmark asks and gets.
    static func smallPiece(_ number: UInt64) -> RecordedPiece {
        var piece = RecordedPiece(id: number, exchange: exchange(number), isFirst: true, isLast: true)
        piece.bytes.reserveCapacity(2000)
        piece.append(.clientRequest, Self.smallRequestHead)
        piece.append(.originRequest, Self.smallRequestHead)
        piece.append(.originResponse, Self.smallResponseHead)
        piece.append(.clientResponse, Self.smallResponseHead)
        piece.append(.responseBody, Self.articles)
        return piece
    }

    /// As a browser sends it.
    private static let smallRequestHead = Array(
        """
        GET /v1/articles?page=2&limit=14 HTTP/1.1\r
        Host: api.shop.test\r
        User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36\r
        Accept: application/json, text/plain, */*\r
        Accept-Language: en-GB,en;q=0.9,de;q=0.8\r
        Accept-Encoding: gzip, deflate, br, zstd\r
        Referer: https://localhost/shop/articles?page=2\r
        Sec-Fetch-Site: same-origin\r
        Sec-Fetch-Mode: cors\r
        Sec-Fetch-Dest: empty\r
        Cookie: session=8c1f4b2e9d7a4f60b3; theme=dark; consent=2\r
        \r

        """.utf8)
    private static let smallResponseHead = Array(
        """
        HTTP/1.1 200 OK\r
        Server: nginx\r
        Date: Sat, 01 Aug 2026 10:00:00 GMT\r
        Content-Type: application/json\r
        Content-Length: 1024\r
        Connection: keep-alive\r
        \r

        """.utf8)
    private static let articles = Array(
        (#"{"items": ["#
            + (0..<14).map { #"{"id": \#($0), "name": "article \#($0)", "price": \#(1990 + $0), "stock": true}"# }
            .joined(separator: ", ") + "]}").utf8)

    /// An ordinary exchange: one piece with both heads as both sides have them, and both bodies.
    static func piece(_ number: UInt64, hosts: UInt64 = 1, hasBodies: Bool = true) -> RecordedPiece {
        var piece = RecordedPiece(id: number, exchange: exchange(number, hosts: hosts), isFirst: true, isLast: true)
        guard hasBodies else { return piece }
        piece.bytes.reserveCapacity(5000)
        piece.append(.clientRequest, requestHead)
        piece.append(.originRequest, requestHead)
        piece.append(.requestBody, body)
        piece.append(.originResponse, responseHead)
        piece.append(.clientResponse, responseHead)
        piece.append(.responseBody, body)
        return piece
    }
}
