import Bytes
import Rewriting
import Testing

/// What holds for all bytes.
@Suite struct AddressPropertyTests {
    private static let all = [
        Ends("https://o.test", "https://c.test"),
        Ends("https://o.test:8443/base/path m.shop.test=https://m.example", "http://c.test:4884"),
        Ends("http://[::1]:3000 m.shop.test=https://m.example:8443/m", "https://staging--api.shop.test:4884"),
        Ends("http://localhost:3000/b ::1=http://six.example", "http://[2001:db8::7]"),
    ]
    private static let names = [
        "Location", "Refresh", "Link", "Access-Control-Allow-Origin", "Content-Security-Policy", "Content-Location",
    ]
    private static let pieces = [
        "https://", "http://", "wss://", "//", "o.test", "m.example", "c.test", "localhost", "[::1]", "staging--",
        "api.shop.test", ":8443", ":3000", ":4884", ":*", "/base", "/path", "/b", "/m", "/..", "/%2e", "?", "#", "@",
        "\\", "<", ">", ",", ";", " ", "\t", "\"", "'", "5", "url=", "report-uri", "img-src", "*.", "test", "",
    ]

    @Test(arguments: 0..<4)
    func `no bytes are too odd, and no room too small`(number: Int) throws {
        let ends = Self.all[number]
        var random = Generator(state: UInt64(number) &+ 1)
        for round in 0..<600 {
            var value: [UInt8] = []
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let byte = UInt8.random(in: 0...255, using: &random)
                    value.append(byte < 0x20 || byte == 0x7F ? 0x09 : byte)
                } else {
                    value += Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)].utf8
                }
            }
            let name = Self.names[round % Self.names.count]
            let line = Array("\(name): ".utf8) + value
            let response = try ends.rules.response(line, ends)
            #expect((response.line != line) == !response.changes.isEmpty)
            let request = try ends.rules.request(Array("Referer: ".utf8) + value, ends)
            #expect(request.line != nil)
        }
    }

    @Test(arguments: 0..<4)
    func `what an origin says of itself comes back to it as it was`(number: Int) throws {
        let ends = Self.all[number]
        let tails = ["", "/", "/x", "/x/y?z#t", "?q", "#f", "//two", "/a/../b", "/%2e", "/\u{E9}"]
        for origin in [ends.own] + ends.others.map(\.origin) {
            for tail in tails {
                let url = Self.text(origin) + origin.basePath + tail
                let there = try #require(Self.map(url, ends, toOrigin: false), "\(url)")
                #expect(!there.hasPrefix(Self.text(origin)))
                #expect(Self.map(there, ends, toOrigin: true) == url)
            }
        }
    }

    @Test func `lengths that lie about the authority do no harm`() {
        let ends = Self.all[2]
        for lengths in [(-1, -1), (0, 99), (99, 99), (99, 0), (3, 5), (.min, .max)] {
            let client = ClientName(isSecure: true, hostLength: lengths.0, labelLength: lengths.1)
            for authority in [[], [0x5B], ends.authority] {
                let bytes = Array("https://m.example:8443/m/x".utf8)
                var out = Buffer(capacity: 256)
                let outcome = ends.map.appendForClient(
                    .url, 0..<bytes.count, of: bytes.span, authority: authority.span, client: client, to: &out)
                let count = out.count
                #expect((outcome == .appended) == (count > 0))
                out.removeAll()
                _ = ends.map.appendForOrigin(
                    .url, 0..<bytes.count, of: bytes.span, authority: authority.span, client: client, to: &out)
                let isEmpty = out.isEmpty
                #expect(isEmpty, "the URL is the origin's")
            }
        }
    }

    private static func text(_ origin: OriginName) -> String {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let port = origin.port == (origin.isTLS ? 443 : 80) ? "" : ":\(origin.port)"
        return (origin.isTLS ? "https://" : "http://") + host + port
    }

    private static func map(_ url: String, _ ends: Ends, toOrigin: Bool) -> String? {
        let bytes = Array(url.utf8)
        var out = Buffer(capacity: 512)
        let outcome =
            toOrigin
            ? ends.map.appendForOrigin(
                .url, 0..<bytes.count, of: bytes.span, authority: ends.authority.span, client: ends.client, to: &out)
            : ends.map.appendForClient(
                .url, 0..<bytes.count, of: bytes.span, authority: ends.authority.span, client: ends.client, to: &out)
        return outcome == .appended ? String(decoding: out.unsafeBytes, as: UTF8.self) : nil
    }
}

/// The same numbers each time.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }
}
