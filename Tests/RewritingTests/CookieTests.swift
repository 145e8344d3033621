import Bytes
import HTTP
import Rewriting
import Testing

@Suite struct CookieTests {
    /// Each row: why, the request's Cookie values, and the lines that the origin gets.
    static let rows: [(String, [String], [String])] = [
        ("nothing to do", ["a=1; b=2"], ["Cookie: a=1; b=2"]),
        ("spacing stays", ["a=1;b=2;;  c = 3;"], ["Cookie: a=1;b=2;;  c = 3;"]),
        (
            "names alike are the origin's", ["shunt=1; Shunt~a=2; shunt-devices=3"],
            ["Cookie: shunt=1; Shunt~a=2; shunt-devices=3"]
        ),
        ("values alike, too", ["a=shunt~env; b=; c"], ["Cookie: a=shunt~env; b=; c"]),
        ("Shunt's are not", ["a=1; shunt-device=9; b=2; shunt~env=local"], ["Cookie: a=1; b=2"]),
        ("nor those of jars", ["shunt~local~h~sid=1; a=1; shunt~-~v~b=2"], ["Cookie: a=1"]),
        ("nor is a session", ["shunt-session=9; a=1; shunt-sessions=2"], ["Cookie: a=1; shunt-sessions=2"]),
        ("nothing is left", ["shunt-device=9"], []),
        ("nothing is left of two", ["shunt~env=a;shunt~x"], []),
        ("without a name, or a value", ["=shunt~env=a; shunt~; a=1; = shunt-device"], ["Cookie: a=1"]),
        (
            "names get back what they were", ["shunt~~__Host-sid=1; b=\"2\"; shunt~~shunt~env=3"],
            ["Cookie: __Host-sid=1; b=\"2\"; shunt~env=3"]
        ),
        (
            "HTTP/2 sends several", ["a=1", "shunt-device=9", "shunt~~__Secure-b=2"],
            ["Cookie: a=1", "Cookie: __Secure-b=2"]
        ),
    ]

    @Test(arguments: rows)
    func `an origin gets its own cookies`(why: String, values: [String], expected: [String]) throws {
        let head = try Head(["X: 1"] + values.map { "Cookie: " + $0 })
        let client = ClientAddress("http://api.shop.test")
        let settings = RewriteRules.Settings(origin: "https://api.shop.example")
        var changes: RewriteChanges = []
        let written = appended {
            CookieRewriter.append(
                cookies: head.fields, from: head.bytes.span, settings: settings,
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        #expect(written == expected.map { $0 + "\r\n" }.joined())
        #expect(changes == (expected == values.map { "Cookie: " + $0 } ? [] : .cookie))
        var single = ""
        for field in head.fields where field.id == .cookie {
            single += appended {
                CookieRewriter.append(
                    cookie: field, from: head.bytes.span, settings: settings, authority: client.authority.span,
                    client: client.name, to: &$0, changes: &changes)
            }
        }
        #expect(single == written)
    }

    /// What is set under a name of Shunt's making comes back under its own.
    @Test(arguments: [
        "__Host-sid=1; Secure; Path=/", "__Secure-a=b; Secure", "shunt~env=x", "shunt-device=1", "shunt~~a=1",
    ])
    func `names come back`(value: String) throws {
        let client = ClientAddress("http://api.shop.test")
        let settings = RewriteRules.Settings(origin: "https://api.shop.example")
        let response = try Head(["Set-Cookie: " + value])
        var changes: RewriteChanges = []
        let set = appended {
            CookieRewriter.append(
                setCookie: response.fields[0], from: response.bytes.span, settings: settings,
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        let pair = set.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" && $0 != "\r\n" }
        #expect(pair.hasPrefix("shunt~~"))
        let request = try Head(["Cookie: " + pair])
        let sent = appended {
            CookieRewriter.append(
                cookies: request.fields, from: request.bytes.span, settings: settings,
                authority: client.authority.span, client: client.name, to: &$0, changes: &changes)
        }
        #expect(sent == "Cookie: " + value.prefix { $0 != ";" } + "\r\n")
    }

    @Test func `random bytes never crash`() throws {
        let words = [
            "shunt~", "shunt~~", "env", "~h~", "~v~", "~v2~", "-", "a", "=", ";", " ", "\t", "__Host-", "Domain",
            "Path=/",
            "Secure", ".shop.example", "shunt-device", "SameSite=None", ",", "\"", "ü", "api", "HttpOnly", "0",
        ]
        var random = SystemRandomNumberGenerator()
        for round in 0..<3000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            .joined()
            let head = try Head(["Cookie: \(text)", "Set-Cookie: \(text)", "Cookie: \(text)"])
            let client = ClientAddress(round % 2 == 0 ? "https://api.shop.test" : "http://[::1]:80")
            var settings = RewriteRules.Settings(
                origin: "https://api.shop.example/a", jar: round % 3 == 0 ? nil : "a", usesJars: round % 5 != 0)
            settings.rewritesCookies = round % 7 != 0
            var changes: RewriteChanges = []
            var out = Buffer(capacity: Int.random(in: 0...2000, using: &random))
            let before = out.count
            for name in [ClientName(isSecure: true, hostLength: 999, labelLength: 5), client.name] {
                let isWhole = CookieRewriter.append(
                    setCookie: head.fields[1], from: head.bytes.span, settings: settings,
                    authority: client.authority.span, client: name, to: &out, changes: &changes)
                #expect(isWhole || out.count == before)
                out.removeAll()
                let hasResponse = CookieRewriter.appendJarFields(
                    requestFields: head.fields, from: head.bytes.span, settings: settings,
                    authority: client.authority.span, client: name, to: &out, changes: &changes)
                #expect(hasResponse || out.isEmpty)
                out.removeAll()
                let isSent = CookieRewriter.append(
                    cookies: head.fields, from: head.bytes.span, settings: settings,
                    authority: client.authority.span, client: name, to: &out, changes: &changes)
                #expect(isSent || out.isEmpty)
                out.removeAll()
            }
        }
    }
}
