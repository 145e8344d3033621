import Bytes
import HTTP
import Rewriting
import Testing

/// What is usual is found in a shorter way than what is odd, and both ways must lead to the same place.
@Suite struct SpellingTests {
    private static let all = [
        Ends("https://o.test", "https://c.test"),
        Ends("https://o.test:8443/base m.shop.test=https://m.example", "http://c.test:4884"),
        Ends("http://[::1]:3000 m.shop.test=https://m.example:8443/m", "https://staging--api.shop.test:4884"),
        Ends("http://localhost:3000/b m.shop.test=http://localhost:3000", "http://localhost:4884"),
    ]

    @Test(arguments: 0..<4)
    func `letters of any size mean the same host, whatever follows it`(number: Int) {
        let ends = Self.all[number]
        let own = ends.own
        let host = own.host.contains(":") ? "[\(own.host)]" : own.host
        let port = own.port == (own.isTLS ? 443 : 80) ? "" : ":\(own.port)"
        let origin = (own.isTLS ? "https://" : "http://") + host + port
        let client = (ends.client.isSecure ? "https://" : "http://") + String(decoding: ends.authority, as: UTF8.self)
        var tails: [[UInt8]] = [
            [], Array("/base".utf8), Array("/b?x".utf8), Array("/base/x".utf8), Array("/b/../x".utf8),
        ]
        for byte in UInt8.min...UInt8.max { tails += [[byte], [byte, 0x78], [byte, 0x2F, 0x78]] }
        var wrong: [[UInt8]] = []
        for tail in tails {
            for form in [AddressMap.Form.url, .reference, .origin] {
                let forClient = Self.map(Array(origin.utf8) + tail, form, ends, toOrigin: false)
                let forOrigin = Self.map(Array(client.utf8) + tail, form, ends, toOrigin: true)
                if forClient != Self.map(Array(origin.uppercased().utf8) + tail, form, ends, toOrigin: false)
                    || forOrigin != Self.map(Array(client.uppercased().utf8) + tail, form, ends, toOrigin: true)
                    || tail.isEmpty && forOrigin == nil
                {
                    wrong.append(tail)
                }
            }
        }
        #expect(wrong == [])
    }

    @Test(arguments: [1, 2, 7, 8, 9, 15, 16, 17])
    func `all bytes that a host may have are read as its own, and no others`(length: Int) throws {
        let letters = Array("zyxwvutsrqponmlkjihgfedcba-0123456789_".utf8)
        for start in stride(from: 0, to: letters.count, by: length) {
            let name = letters[start..<min(start + length, letters.count)] + Array("k.example".utf8)
            let host = String(decoding: name, as: UTF8.self)
            let ends = Ends("https://" + host, "https://c.test")
            #expect(
                try ends.rules.response("Location", "http://" + host.uppercased() + "./x", ends) == "https://c.test/x")
        }
        let host = Array(repeating: UInt8(ascii: "a"), count: length)
        let ends = Ends("https://" + String(decoding: host, as: UTF8.self), "https://c.test")
        var taken: [[UInt8]] = []
        for byte in UInt8.min...UInt8.max where ![0x2F, 0x3A, 0x3F, 0x23, 0x2E].contains(byte) {
            var others = [Array("HTTPS://".utf8) + host + [byte]]
            for place in host.indices where byte | 0x20 != 0x61 {
                var other = host
                other[place] = byte
                others.append(Array("https://\(String(decoding: other, as: UTF8.self))/".utf8))
            }
            taken += others.filter { Self.map($0, .url, ends, toOrigin: false) != nil }
        }
        #expect(taken == [])
    }

    @Test(arguments: [
        ("https://c.test", "https://o.test:8443", false), ("http://c.test:4884", "https://o.test:8443", true),
        ("http://C.TEST:4884", "https://o.test:8443", true), ("http://c.test:4884/", "https://o.test:8443", false),
        ("http://c.test:4884", "https://o.test:8443/", false), ("http://c.test:4884", "https://O.test:8443", false),
        ("http://c.test:4884", "https://m.example", false), ("http://m.shop.test:4884", "https://m.example", true),
        ("http://m.shop.test:4884", "https://o.test:8443", false), ("http://evil.test", "https://o.test:8443", false),
        ("http://c.test:4884", "*", false), ("null", "null", false), ("http://evil.test", "http://evil.test", false),
    ])
    func `a response lets the page read it that asked`(page: String, allowed: String, expected: Bool) throws {
        let ends = Self.all[1]
        let head = try Head(["Origin: " + page, "Access-Control-Allow-Origin: " + allowed])
        let isAllowed = ends.rules.allows(
            page: head.fields[0], from: head.bytes.span, by: head.fields[1], from: head.bytes.span,
            authority: ends.authority.span, client: ends.client)
        #expect(isAllowed == expected)
    }

    @Test func `a cookie's attributes become the same behind any name`() throws {
        let pieces = [
            "Domain=shop.example", "domain = .API.shop.example", "Domain=", "Domain=other.example", "Path=/base",
            "path=/base/x", "Path=/", "PATH=", "Secure", "secure=1", " SECURE ", "SameSite=None", "samesite = none",
            "SameSite=Lax", "Partitioned", "HttpOnly", "Expires=Wed, 01 Jan 2098 00:00:00 GMT", "Max-Age=0", "", " ",
            "=", "sec", "Securely", "d", "p", "s", "\t", "Securf", "SameSite=Even", "SameSitf=None",
        ]
        var wrong: [String] = []
        for origin in ["https://api.shop.example/base", "https://localhost"] {
            for url in ["http://localhost:4884", "https://staging--api.shop.test"] {
                for one in pieces {
                    for two in pieces {
                        let rest = "=1;\(one);\(two); Path=/base; Secure"
                        let usual = try Self.cookie("sid" + rest, origin, url)
                        let odd = try Self.cookie("shuntsid" + rest, origin, url)
                        if "Set-Cookie: shunt" + usual.line.dropFirst(12) != odd.line || usual.changes != odd.changes {
                            wrong.append(rest)
                        }
                    }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test(arguments: [
        "sid=1; Domain=api.shop.example; Path=/base; Secure; SameSite=None \t", "a; Secure", "_ga=1; Path=/base/x; p",
    ])
    func `a cookie that does not fit leaves nothing`(value: String) throws {
        let whole = try Self.cookie(value, "https://api.shop.example/base", "http://api.shop.test").line
        #expect(whole != "Set-Cookie: \(value)\r\n")
        for room in 0..<whole.utf8.count {
            let part = try Self.cookie(value, "https://api.shop.example/base", "http://api.shop.test", room: room)
            #expect(part.line == "" && part.changes == [])
        }
    }

    private static func cookie(
        _ value: String, _ origin: String, _ url: String, room: Int = 512
    ) throws -> (line: String, changes: RewriteChanges) {
        let head = try Head(["Set-Cookie: " + value])
        let client = ClientAddress(url)
        let rules = RewriteRules(RewriteRules.Settings(origin: origin))
        var changes: RewriteChanges = []
        var out = Buffer(capacity: room)
        let fits = rules.append(
            responseField: head.fields[0], from: head.bytes.span, authority: client.authority.span, client: client.name,
            to: &out, changes: &changes)
        if !fits, !out.isEmpty { Issue.record("something is left") }
        return (String(decoding: out.unsafeBytes, as: UTF8.self), changes)
    }

    private static func map(_ url: [UInt8], _ form: AddressMap.Form, _ ends: Ends, toOrigin: Bool) -> [UInt8]? {
        var out = Buffer(capacity: 512)
        let outcome =
            toOrigin
            ? ends.map.appendForOrigin(
                form, 0..<url.count, of: url.span, authority: ends.authority.span, client: ends.client, to: &out)
            : ends.map.appendForClient(
                form, 0..<url.count, of: url.span, authority: ends.authority.span, client: ends.client, to: &out)
        return outcome == .appended ? Array(out.unsafeBytes) : nil
    }
}
