import Exchanges
import Store

/// Exchanges of an app with several servers, of which hardly any two have the same heads and bodies.
enum VariedSamples {
    /// Most have some hundred bytes of JSON, some an image or a list; one in ten sends a body.
    static func piece(_ number: UInt64) -> RecordedPiece {
        let sendsBody = number.isMultiple(of: 10)
        let isImage = number % 20 == 7
        let host = "api\(number % 8).shop.test"
        let target = "/v1/\(isImage ? "images" : "articles")/\(number)?page=\(number % 97)"
        var exchange = Samples.exchange(number, hosts: 8)
        exchange.method = sendsBody ? "POST" : "GET"
        exchange.url = "https://\(host)\(target)"
        let requestBody = sendsBody ? Array(#"{"article":\#(number),"count":\#(number % 9),"note":"none"}"#.utf8) : []
        let responseBody = isImage ? image(number) : articles(number, number.isMultiple(of: 50) ? 60 : 5)
        exchange.bytes.request = UInt64(requestBody.count)
        exchange.bytes.response = UInt64(responseBody.count)

        var piece = RecordedPiece(id: number, exchange: exchange, isFirst: true, isLast: true)
        let request = { (host: String) in
            Array(
                """
                \(exchange.method) \(target) HTTP/1.1\r
                Host: \(host)\r
                User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0\r
                Accept: application/json, text/plain, */*\r
                Accept-Language: en-GB,en;q=0.9,de;q=0.8\r
                Accept-Encoding: gzip, deflate, br, zstd\r
                Referer: https://localhost/shop/articles?page=\(number % 97)\r
                X-Request-Id: \(identifier(number))\r
                Cookie: session=8c1f4b2e9d7a4f60b3; theme=dark; consent=2\r
                \(sendsBody ? "Content-Type: application/json\r\nContent-Length: \(requestBody.count)\r\n" : "")\r

                """.utf8)
        }
        let response = Array(
            """
            HTTP/1.1 200 OK\r
            Server: nginx\r
            Date: Sat, 01 Aug 2026 10:\(10 + number / 60 % 50):\(10 + number % 50) GMT\r
            Content-Type: \(isImage ? "image/png" : "application/json")\r
            Content-Length: \(responseBody.count)\r
            X-Request-Id: \(identifier(number))\r
            Set-Cookie: seen=\(number); Path=/; Secure; HttpOnly\r
            Connection: keep-alive\r
            \r

            """.utf8)
        piece.append(.clientRequest, request("localhost:8443"))
        piece.append(.originRequest, request("staging.shop.test"))
        if sendsBody { piece.append(.requestBody, requestBody) }
        piece.append(.originResponse, response)
        piece.append(.clientResponse, response)
        piece.append(.responseBody, responseBody)
        return piece
    }

    private static func articles(_ number: UInt64, _ count: Int) -> [UInt8] {
        let items = (0..<count).map {
            #"{"id":\#(number + UInt64($0)),"name":"article \#($0)","price":\#(number % 5000)}"#
        }
        return Array(#"{"items":[\#(items.joined(separator: ","))],"next":"\#(identifier(number))"}"#.utf8)
    }

    private static func image(_ number: UInt64) -> [UInt8] {
        (0..<3000).map { UInt8(truncatingIfNeeded: (number &+ $0) &* 0x9E37_79B9_7F4A_7C15 >> 56) }
    }

    private static func identifier(_ number: UInt64) -> String {
        String(number &* 0x9E37_79B9_7F4A_7C15 | 1 << 63, radix: 16) + "-\(number)"
    }
}
