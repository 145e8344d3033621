import JSON
import Redaction
import TestSupport
import Testing

/// A random secret in every place where one can stand is nowhere in what comes out.
@Suite struct RedactionPropertyTests {
    /// A place for a secret, and how it is written there.
    private struct Place {
        let type: String?
        let before: String
        let after: String
        let write: @Sendable (String) -> String
        /// Whether only a profile's rules make it a secret.
        var isRuled = false
    }

    private static let rules = RedactionRules(
        fields: ["X-Device-*"], parameters: ["shopOtp"], members: ["pin2", "card.number"])
    private static let ruled = Redactor(key: Array("a key of this store".utf8), rules: rules)

    private static func raw(_ secret: String) -> String { secret }
    private static func percent(_ secret: String) -> String {
        secret.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    private static func partlyPercent(_ secret: String) -> String {
        secret.map { $0.isLetter || $0.isNumber ? String($0) : percent(String($0)) }.joined()
    }
    private static func unicode(_ secret: String) -> String {
        secret.utf16.map {
            "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
        }
        .joined()
    }
    private static func backslashes(_ secret: String) -> String {
        secret.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#).replacing("/", with: #"\/"#)
    }

    private static func references(_ secret: String) -> String {
        secret.unicodeScalars.map { $0.value % 2 == 0 ? "&#\($0.value);" : "&#x\(String($0.value, radix: 16));" }
            .joined()
    }

    private static let members = [
        "token", "access_token", "refreshToken", "client-secret", "password", "passwd", "pwd", "apiKey", "api_key",
        "session", "sid", "jwt", "auth", "credentials", "my_secret_thing",
    ]

    /// Names of fields, and of all else; `nil` is a head.
    private static let places: [Place] = {
        var all: [Place] = []
        let end = "\r\nAccept: */*\r\n\r\n"
        for field in [
            "Authorization: ", "Authorization: Bearer ", "Proxy-Authorization: Basic ", "Cookie: a=; x=",
            "Set-Cookie: y=",
            "X-Api-Key: ", "Api-Key: ", "X-Auth-Token: ", "X-CSRF-Token: ", "apikey: ", "X-My-Secret-Value: ",
            "X-Note: say bearer ",
        ] {
            all.append(Place(type: nil, before: "GET / HTTP/1.1\r\n\(field)", after: end, write: raw))
        }
        for name in members + ["key", "code", "sig", "signature", "X-Amz-Signature"] {
            for (before, after) in [
                ("GET /?a=b&\(name)=", "&c=d HTTP/1.1\(end)"), ("GET / HTTP/1.1\r\nReferer: http://a/?\(name)=", end),
                ("HTTP/1.1 302 Found\r\nLocation: /x#\(name)=", "&e=f\(end)"),
                ("HTTP/1.1 200 OK\r\nLink: </x?\(name)=", ">; rel=next\(end)"),
            ] {
                all.append(Place(type: nil, before: before, after: after, write: percent))
                all.append(Place(type: nil, before: before, after: after, write: partlyPercent))
            }
            let form = "application/x-www-form-urlencoded"
            all.append(Place(type: form, before: "a=b&\(name)=", after: "&c=d", write: partlyPercent))
            all.append(Place(type: form, before: "\(name)=", after: "", write: percent))
            let part = "--x\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            all.append(Place(type: "multipart/form-data; boundary=x", before: part, after: "\r\n--x--\r\n", write: raw))
        }
        for name in members {
            for (type, before, after) in [
                ("text/xml", "<a><w:\(name) Type=\"x\">", "</w:\(name)><b>c</b></a>"),
                ("application/soap+xml", "<a>\n<\(name)><v> ", " </v></\(name)></a>"),
                ("application/xml", "<user \(name)='", "' b='c'/>"),
                ("application/xml", "<entry key=\"\(name)\">", "</entry><z/>"),
                ("text/html", "<p>a<input name=\(name) value='", "'>b</p>"),
                ("text/html", "<INPUT Value=\"", "\" type=hidden name='\(name)'><p>b"),
                (nil, "<a><\(name)>", "</\(name)></a>"),
            ] as [(String?, String, String)] {
                for write in [raw, references] {
                    all.append(Place(type: type ?? "", before: before, after: after, write: write))
                }
            }
            for write in [backslashes, unicode] {
                for (before, after) in [
                    ("{\"a\":[1,{\"\(name)\": \"", "\"}],\"z\":\"y\"}"), ("{\"\(name)\":[{\"k\":\"", "\"}],\"z\":1}"),
                    ("{\"a\":1}\n{\"\(name)\" :\n\"", "\"}\n{}\n"),
                ] {
                    all.append(Place(type: "application/json", before: before, after: after, write: write))
                }
            }
        }
        for name in members {
            let json = "application/json"
            for (type, before, after) in [
                (json, #"{"q":"mutation { login(\#(name): \""#, #"\", b: 1)"}"#),
                (json, #"{"a":"b=c&\#(name)="#, #"&y=z"}"#),
                (json, #"{"a":"https://b/?\#(name)="#, ##"#y"}"##),
                (json, #"{"variables":"{\"\#(name)\":\""#, #"\"}"}"#),
                (json, #"{"x":1,"name":"\#(name)","y":[1,{}],"value":""#, #""}"#),
                (json, #"[{"value": ""#, #"", "key" : "\#(name)"},{}]"#),
                (json, #"{"b":"{\u0022\#(name)\u0022:\u0022"#, #"\u0022}"}"#),
                ("application/json5", "{'\(name)': '", "', z: 1}"),
                ("application/json5", "{\(name) : \"", "\", z: 1}"),
                ("text/event-stream", "data: \(name)=", "\n\n"),
                ("text/plain", "a b\n\(name): ", "\nc: d\n"), ("text/plain", "Server=x;\(name)=", ";y=z"),
                ("application/x-env", "A=b\nexport \(name)=", "\nC=d"),
                ("application/yaml", "a:\n  - b: c\n    \(name): '", "'\n    d: e"),
                ("text/plain", "[a]\n\(name) = one ", "\nb = c"),
                ("application/graphql", "{ a(\(name): \"", "\") { id } }"),
                ("text/javascript", "cb({\"\(name)\":\"", "\"});"), ("text/javascript", "a.\(name)='", "';b=c"),
                ("text/javascript", "get('/a?\(name)=", "')"),
                ("text/html", "<script>var a={\"b\":\"<p>\",\"\(name)\":\"", "\"}</script><p>c"),
                ("text/html", "<div data-x=\"{&quot;\(name)&quot;:&quot;", "&quot;}\">y</div>"),
                ("text/xml", "<m><name>\(name)</name>\n<value><string>", "</string></value></m>"),
                ("text/xml", "<dict><key> \(name) </key><string>", "</string><key>a</key><string>b</string></dict>"),
                ("application/x-www-form-urlencoded", "a=1&f=%7B%22\(name)%22:%22", "%22%7D&b=2"),
                (
                    "multipart/form-data; boundary=x",
                    "--x\r\ncontent-disposition: form-data; name*=UTF-8''\(percent(name))\r\n\r\n", "\r\n--x--\r\n"
                ),
            ] where type != "application/x-env" || !name.contains("-") {
                let write = type.hasSuffix("urlencoded") ? percent : raw
                all.append(
                    Place(type: type == "application/x-env" ? "" : type, before: before, after: after, write: write))
            }
        }
        for (type, before, after) in [
            ("application/json", #"{"u":"https://us:"#, #"@h/p"}"#),
            ("text/plain", "see postgres://us:", "@h/p for it"),
            ("text/html", "<a href='ftp://us:", "@h/p'>x</a>"),
            ("application/json", #"{"u":"https:\/\/us:"#, #"@h\/p"}"#),
            ("application/x-www-form-urlencoded", "a=https%3A%2F%2Fus%3A", "%40h%2F&b=c"),
        ] {
            // A slash would end the authority.
            all.append(
                Place(type: type, before: before, after: after, write: { percent($0.replacing("/", with: "_")) }))
        }
        for (type, end) in [("text/plain", "\n"), ("application/json", #"\n"#), ("text/html", "\n")] {
            let (before, after) = ("-----BEGIN EC PRIVATE KEY-----\(end)", "\(end)-----END EC PRIVATE KEY-----")
            let isJSON = type == "application/json"
            all.append(
                Place(
                    type: type, before: (isJSON ? #"{"a":""# : "a: ") + before, after: after + (isJSON ? #""}"# : end),
                    write: raw))
        }
        all.append(
            Place(type: nil, before: "GET / HTTP/1.1\r\nX-Device-Id: ", after: end, write: raw, isRuled: true))
        all.append(
            Place(type: nil, before: "GET /?a=b&shopOtp=", after: "&c=d HTTP/1.1\(end)", write: percent, isRuled: true))
        all.append(
            Place(
                type: "application/x-www-form-urlencoded", before: "a=b&shopOtp=", after: "&c=d", write: partlyPercent,
                isRuled: true))
        for (before, after) in [
            ("{\"a\":[1,{\"pin2\": \"", "\"}],\"z\":\"y\"}"), ("{\"card\":{\"number\":\"", "\"},\"z\":\"y\"}"),
            ("{\"token\":{},\"card\":[{\"x\":[{}],\"number\" : \"", "\"}],\"z\":\"y\"}"),
            ("{\"a\":1}\n{\"card\" :\n{\"number\": \"", "\"}}\n{}\n"),
        ] {
            for write in [backslashes, unicode] {
                all.append(
                    Place(type: "application/json", before: before, after: after, write: write, isRuled: true))
            }
        }
        return all
    }()

    private static func random(_ letters: [Character], _ count: Int, _ random: inout Random) -> String {
        String((0..<count).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
    }

    @Test func `a secret is found nowhere, and what surrounds it stays`() throws {
        var generator = Random(state: 42)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/")
        for place in Self.places {
            let secret = "Q7" + Self.random(letters, 14 + Int(generator.next() % 30), &generator)
            let written = place.write(secret)
            let whole = Array((place.before + written + place.after).utf8)
            let redactor = place.isRuled ? Self.ruled : redactor
            let once = place.type == nil ? redactor.redact(head: whole) : redact(whole, as: place.type, by: redactor)
            let text = String(decoding: once, as: UTF8.self)
            #expect(digests(in: text).count == 1, "\(text)")
            for start in 0...(secret.count - 6) {
                #expect(!text.contains(secret.dropFirst(start).prefix(6)), "\(secret) in \(text)")
            }
            for start in 0...(written.count - 12) {
                #expect(!text.contains(written.dropFirst(start).prefix(12)), "\(written) in \(text)")
            }
            // What holds the secret may go with it: an object under a secret name.
            let (before, after) = (place.before.utf8.dropLast(8), place.after.utf8.dropFirst(4))
            #expect(text.utf8.starts(with: before), "\(text)")
            #expect(text.utf8.reversed().starts(with: after.reversed()), "\(text)")
            if place.type == "application/json", !place.before.contains("\n") {
                _ = try JSONReader.read(text, dialect: .strict)
            }
            guard place.type != nil else { continue }
            for cut in Circle.some(of: 0...whole.count) {
                var redaction = redactor.body(contentType: place.type)
                let first = redaction.redact(Array(whole[..<cut]))
                #expect(once.starts(with: first))
                #expect(first + redaction.redact(Array(whole[cut...])) + redaction.finish() == once)
            }
        }
    }

    @Test func `a token is found however it is written`() {
        let jwt = token(claims: #"{"sub":"1234567890"}"#)
        for (type, before, written) in [
            ("application/json", #"{"a":["b "#, jwt), ("application/json", #"{"a":["b "#, Self.unicode(jwt)),
            ("application/json", #"{"a":["x Bearer "#, Self.unicode(jwt)),
            ("application/json", #"{"a":["\#(Self.unicode("x Bearer "))"#, jwt),
            ("application/x-www-form-urlencoded", "a=", Self.percent(jwt)),
            ("application/x-www-form-urlencoded", "a=s%3A", jwt),
            ("application/x-www-form-urlencoded", "a=be", Self.percent(jwt)),
        ] {
            for size in [Int.max, 1, 2, 3, 5] {
                let text = redact(before + written, as: type, piece: size)
                #expect(text.utf8.count < before.utf8.count + 50 && text.hasPrefix(before), "\(text)")
                #expect(digests(in: text).count == 1)
            }
        }
    }

    /// Pieces of what a body may hold, put together at random.
    @Test func `however a body is cut, the output is the same`() {
        var generator = Random(state: 7)
        let words = [
            "\"", "\\", "\"token\"", ":", " ", "{", "}", "[", "]", ",", "\"a\"", "12", "null", "'", "\n", "\\\"",
            "\\u0041",
            "bearer", "Bearer ", "abc1", "=", "eyJhbGciOiJub25lIn0", "\"card\"", "\"number\"", ".", "e", "b", "%3D",
            "%26", "%", "&", "password",
            "pwd=", "\r\n", "--x", "--x\r\nContent-Disposition: form-data; name=token\r\n\r\n", "\u{0}", "ä", "?", "#",
            ";", "<", ">", "</", "/>", "<token>", "</token>", "<a b='", "'", "<![CDATA[", "]]>", "<!--", "&#65;",
            "&amp",
            "<input name=pwd value=", "\"name\":", "\"value\":", "\"password\"", "password=", "token: ", "\"key\" : ",
            "https://u:p", "@", "-----BEGIN PRIVATE KEY-----", "-----END", "-",
            "ghp_5k4k8xYq9Zt2LmN7pRw3Vb6Js1Dg0Hf5TcAA",
            "q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax", "\\u0022", "&quot;", "<key>", "</key>", "={", "%7B", "/", "?", "code=",
            "\\u0026", "`", "$", "mot de passe", "\"v\"",
        ]
        let types = [
            "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            "multipart/mixed", "text/plain", "", "text/event-stream", "text/html", "text/xml",
            "text/javascript", "application/yaml",
        ]
        for round in Circle.some(of: 0..<6000) {
            let body = (0..<(1 + generator.next() % 24)).map { _ in words[Int(generator.next() % UInt64(words.count))] }
                .joined()
            for redactor in [redactor, Self.ruled] {
                let type = types[round % types.count]
                let whole = redact(body, as: type, by: redactor)
                for size in [1, 2, 3, 5] {
                    let pieces = redact(body, as: type, by: redactor, piece: size)
                    guard pieces != whole else { continue }
                    let shown = [body, whole, pieces].map { $0.replacing("\0", with: "NUL").debugDescription }
                    Issue.record("as \(type) by \(size): \(shown)")
                }
            }
        }
    }

    @Test func `no bytes make it stumble`() {
        var generator = Random(state: 99)
        let types = [
            "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html", "",
        ]
        for round in 0..<1000 {
            let bytes = (0..<Int(generator.next() % 300)).map { _ in
                let value = generator.next()
                return value & 3 == 0
                    ? UInt8(truncatingIfNeeded: value >> 8)
                    : Array("\"\\:{}[]=&%;\r\n -tokenberyJ.".utf8)[Int(value >> 8) % 26]
            }
            #expect(redactor.redact(head: bytes).isEmpty == bytes.isEmpty)
            _ = redactor.redact(fields: bytes)
            _ = redactor.redact(message: bytes, isText: round % 2 == 0)
            _ = redactor.redact(url: String(decoding: bytes, as: UTF8.self))
            let type = types[round % types.count]
            #expect(redact(bytes, as: type, piece: 1) == redact(bytes, as: type))
        }
    }
}

/// Numbers that are the same in every run (SplitMix64).
private struct Random {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
