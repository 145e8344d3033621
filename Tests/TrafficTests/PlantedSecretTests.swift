import JSON
import Redaction
import TestSupport
import Testing

/// A secret that is planted in each place, as each kind, under each type: it is nowhere in the output.
@Suite struct PlantedSecretTests {
    private static let mark = "zq7Marked9Thing"

    /// Names that people call secret, in the spellings of several languages and conventions.
    private static let names = [
        "password", "user_password", "newPassword", "pswd", "psk", "preSharedKey", "sharedKey", "seedPhrase",
        "seed-phrase", "mnemonic", "accessCode", "webhookUrl", "creditCard", "credit_card", "ccNumber", "cc-number",
        "appKey", "admin_key", "application-key", "clientSecret", "Geheimzahl", "neue_geheimzahl", "Passwort",
        "пинкод", "Пинкод", "пин-код", "пароль", "Authorization", "api_key", "refreshToken", "cvv", "iban",
    ]

    /// Bodies with `NAME` and `MARK`, each with the types under which it is sent; nil is none.
    private static let bodies: [(name: String, body: String)] = [
        ("JSON", #"{"a":[1,{"NAME":"MARK"}],"z":"y"}"#), ("JSON in lines", "{\"a\":1}\n{\"NAME\":\"MARK\"}\n"),
        ("JSON, pretty", "[\n  {\n    \"NAME\" : \"MARK\"\n  }\n]\n"),
        ("JSON in JSON", #"{"m":"{\"NAME\":\"MARK\"}"}"#), ("an object", #"{"NAME":{"value":"MARK","type":"x"}}"#),
        ("an array", #"{"NAME":["MARK","x y"]}"#), ("a deep one", #"{"NAME":[{"a":[["MARK"]]}]}"#),
        ("name and value", #"[{"name":"NAME","value":"MARK"}]"#),
        ("value and name", #"[{"value":"MARK","name":"NAME"},{}]"#),
        ("an object as the value", #"[{"value":{"a":["MARK"]},"key":"NAME"},{}]"#),
        ("a long value and its name", #"{"value":"LONGMARK","name":"NAME"}"#),
        ("JSON Patch", #"[{"op":"add","path":"/user/NAME","value":"MARK"}]"#),
        ("JSON Patch, value first", #"[{"value":"MARK","path":"/NAME","op":"add"}]"#),
        ("a pair", #"[["a","b"],["NAME","MARK"]]"#), ("a pair, spaced", "[ \"NAME\",\n \"MARK\" ]"),
        ("a form", "a=b&NAME=MARK&c=d"), ("a form in a parameter", "a=https%3A%2F%2Fb%2F%3FNAME%3DMARK%26x%3D1&c=d"),
        ("a name in escaped brackets in a URL", #"{"url":"/a?filter%5Buser%5D%5BNAME%5D=MARK","x":"y"}"#),
        ("JSON in a URL", #"{"url":"/a?j=%7B%22NAME%22%3A%20%22MARK%22%7D&b=c","x":"y"}"#),
        ("JSON as a query in a URL", "see https://a.test/b?j=%7b%22NAME%22:%22MARK%22%7d\n"),
        ("a block string", #"mutation { login(user: "a", NAME: """MARK""") { id } }"#),
        ("a block string in JSON", #"{"query":"mutation{login(NAME:\"\"\"x \" MARK\"\"\"){id}}","variables":null}"#),
        ("a form, escaped twice", "a=https%253A%252F%252Fb%252F%253FNAME%253DMARK%2526x%253D1&c=d"),
        ("JSON in a form", "a=1&f=%7B%22NAME%22%3A%22MARK%22%7D"),
        ("XML", "<a><b>c</b><NAME>MARK</NAME></a>"), ("an attribute", "<a><user NAME=\"MARK\" b='c'/></a>"),
        ("a property list", "<?xml version=\"1.0\"?><plist><dict><key>NAME</key><string>MARK</string></dict></plist>"),
        ("several parts", "--b1\r\nContent-Disposition: form-data; name=\"NAME\"\r\n\r\nMARK\r\n--b1--\r\n"),
        (
            "JSON in a part",
            "--b1\r\nContent-Disposition: form-data; name=f; filename=a\r\nContent-Type: application/octet-stream\r\n\r\n"
                + "{\"NAME\":\"MARK\"}\r\n--b1--\r\n"
        ),
        ("a table", "id,NAME,mail\n1,MARK,a@b.test\n2,\"MARK, x\",c@d.test\n"),
        ("a table with semicolons", "\"NAME\";\"id\"\r\n\"MARK\";\"1\"\r\n"),
        ("a log", "2026-05-01 INFO NAME: MARK sent\n"), ("settings", "[a]\nNAME = MARK\nb = c\n"),
        ("YAML", "env:\n  - name: NAME\n    value: MARK\n"), ("an environment", "A=b c\nexport NAME=MARK\nC=d\n"),
        ("a private key", "x\n-----BEGIN RSA PRIVATE KEY-----\nMARK\n-----END RSA PRIVATE KEY-----\n"),
        ("a .netrc", "machine a.test\n  login b\n  password MARK\n"),
        (
            "curl -v",
            "* Connected\n> GET / HTTP/1.1\n> Authorization: Bearer MARK\n> Cookie: a=MARK; b=MARK\n>\n< HTTP/1.1 200\n"
        ),
        ("a log of a field", "12:00 sent Authorization: Basic MARK to a.test\n"),
        ("a message about a field", #"{"message":"sent Authorization: Bearer MARK to a.test"}"#),
        ("a message about cookies", #"{"message":"got Cookie: a=MARK; b=MARK","x":"y"}"#),
        ("a key", #"{"kty":"oct","k":"MARK","kid":"1"}"#),
        ("a key of an ellipse", #"{"d":"MARK","kty":"EC","crv":"P-256"}"#),
        ("a link that resets", #"{"text":"See https://a.test/reset-password/MARK."}"#),
        ("an invitation", "Hello,\nhttps://a.test/invite/MARK?x=1 is for you.\n"),
        ("a hook of Slack", #"{"url":"https://hooks.slack.com/services/T012AB/B034CD/MARK0"}"#),
        ("a bot of Telegram", "send to https://api.telegram.org/bot123456:MARK-x/sendMessage now\n"),
        ("an event", "event: x\ndata: {\"NAME\":\"MARK\"}\n\n"),
    ]

    private static let types: [String?] = [
        nil, "application/json", "application/vnd.api+json", "application/x-amz-json-1.1", "application/json-rpc",
        "application/x-www-form-urlencoded", "application/octet-stream", "multipart/form-data; boundary=b1",
        "multipart/form-data; boundary=other", "multipart/form-data", "text/plain", "application/vnd.unknown",
        "text/csv", "application/x-ndjson", "image/png",
    ]

    /// What types of text say of text is believed, and a picture is none if it begins like a format of data.
    private static func isRead(_ name: String, as type: String?) -> Bool {
        switch type {
        case "image/png":
            !name.contains("table")
                && ![
                    "a log", "settings", "YAML", "an environment", "a private key", "a .netrc", "curl -v",
                    "a log of a field", "an invitation", "a bot of Telegram", "an event", "a block string",
                    "JSON as a query in a URL",
                ].contains(name)
        case "text/plain": !name.contains("form")
        case "application/json", "application/vnd.api+json", "application/x-ndjson":
            !["settings", "YAML", "an environment", "curl -v"].contains(name)
        default: true
        }
    }

    private static func planted(_ template: String, _ name: String) -> String {
        template.replacing("NAME", with: name)
            .replacing("LONGMARK", with: String(repeating: "x0", count: 40_000) + mark)
            .replacing("MARK", with: mark)
    }

    @Test(arguments: bodies.indices)
    func `a planted secret is replaced whatever the type says`(row: Int) {
        let (what, template) = Self.bodies[row]
        let names = template.contains("LONG") ? ["password"] : template.contains("NAME") ? Self.names : [""]
        for (turn, name) in names.enumerated() {
            // Names of elements and of variables are written otherwise, and attributes and parameters as they are.
            let isWord = name.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2D }
            if !isWord, ["XML", "an attribute", "an environment"].contains(what) { continue }
            let body = Self.planted(template, name)
            for (place, type) in Self.types.enumerated() where Self.isRead(what, as: type) {
                // Every name under every type would take minutes; each has three of them.
                if turn > 0, (turn + place) % 5 != 0 { continue }
                for size in turn > 0 ? [Int.max] : body.utf8.count < 1000 ? [Int.max, 1, 7] : [Int.max, 4096] {
                    let text = redact(body, as: type, piece: size)
                    #expect(!text.contains(Self.mark), "\(what), \(type ?? "no type"), by \(size): \(text)")
                }
            }
        }
    }

    @Test(arguments: [
        "/?NAME=MARK&a=b", "/a;NAME=MARK/b", "/#NAME=MARK",
        "https://a.test/?u=https%3A%2F%2Fb%2F%3FNAME%3DMARK%26x%3D1",
        "/?u=https%253A%252F%252Fb%252F%253FNAME%253DMARK%2526x%253D1&y=2", "/?q=%7B%22NAME%22%3A%22MARK%22%7D",
        "/a?%7B%22NAME%22%3A%20%22MARK%22%7D",
        "/?u=%252F%253Fq%253D%257B%2522NAME%2522%253A%2522MARK%2522%257D", "/%3FNAME=MARK",
    ])
    func `a planted secret is replaced in a URL, and what surrounds it stays`(template: String) {
        for name in Self.names + ["state", "RelayState", "code", "sig"] {
            if template.contains("22NAME"), !Self.names.contains(name) { continue }
            let url = Self.planted(template, name)
            for text in [
                redactor.redact(url: url),
                String(decoding: redactor.redact(head: Array("GET \(url) HTTP/1.1\r\n\r\n".utf8)), as: UTF8.self),
                String(decoding: redactor.redact(fields: Array("Location: \(url)\r\n".utf8)), as: UTF8.self),
            ] { #expect(!text.contains(Self.mark) && text.contains("redacted"), "\(url): \(text)") }
        }
    }

    @Test func `what was replaced stays as it is when it is read again`() {
        for (name, template) in Self.bodies {
            for type in Self.types where Self.isRead(name, as: type) {
                let once = redact(Self.planted(template, "password"), as: type)
                #expect(redact(once, as: type) == once, "\(name), \(type ?? "no type")")
            }
        }
    }

    @Test(arguments: [
        (#"["<redacted:jwt:b51c4114db>"]"#, "application/json"), ("x password: <redacted:password:a076bb71bd> y", nil),
        (#"{"url":"/a?token=<redacted:token:a076bb71bd>&b=1"}"#, "application/json"),
        (#"{"a":"http://%3Credacted%3Auserinfo%3A2eedf615a0%3E@a.test/"}"#, "application/json"),
        ("passcode:<redacted:passcode:7a8c65d1d6>\n", "text/plain"), ("a=1&x=%3Credacted:pin:7a8c65d1d6%3E", nil),
    ])
    func `a replacement is no secret`(text: String, type: String?) { #expect(redact(text, as: type) == text) }

    @Test(arguments: ["/?state=open&RelayState=https%3A%2F%2Fa%2Fb%3Fx%3d1", "/?state=CA&state=2", "/?state=%2fa"])
    func `a state that is no code stays`(url: String) { #expect(redactor.redact(url: url) == url) }

    @Test(arguments: [
        "X-App-Key", "X-Admin-Key", "DD-APPLICATION-KEY", "DD-API-KEY", "X-Forwarded-Authorization",
        "X-Amz-Security-Token",
        "X-Shared-Key", "X-Access-Code", "X-Original-Authorization", "Private-Token", "X-Session-Id",
    ])
    func `a planted secret is replaced in a field, and a scheme stays`(field: String) {
        for scheme in ["", "Basic ", "Bearer "] {
            let line = "\(field): \(scheme)\(Self.mark)\r\n"
            let text = String(decoding: redactor.redact(fields: Array(line.utf8)), as: UTF8.self)
            #expect(text.hasPrefix("\(field): \(scheme)<redacted:"), "\(text)")
        }
    }

    @Test(arguments: bodies.filter { !$0.name.contains("form") && !$0.name.contains("part") }.map(\.body))
    func `a planted secret is replaced in a message, and text or binary does not matter`(template: String) {
        let message = Array(Self.planted(template, "password").utf8)
        for isText in [true, false] {
            if isText, template.contains("YAML") || template.hasPrefix("env:") || template.hasPrefix("[a]") { continue }
            let text = String(decoding: redactor.redact(message: message, isText: isText), as: UTF8.self)
            #expect(!text.contains(Self.mark), "\(isText): \(text.prefix(300))")
        }
    }

    /// Lines of commands and of protocols that log in by a word.
    @Test(arguments: [
        "--password MARK\n", "mysql -h a --password 'MARK' db\n", "curl -u ann:MARK https://a.test\n",
        "curl --user \"ann:MARK\" https://a.test\n", "$ gh login --token MARK | tee\n", "http -u ann:MARK a.test",
        "x\ny --api-key MARK\n",
    ])
    func `a planted secret is replaced in the line of a command`(template: String) {
        let line = Self.planted(template, "")
        for type in ["text/plain", "application/yaml", "text/markdown", "application/octet-stream", nil] {
            for size in [Int.max, 1] {
                let text = redact(line, as: type, piece: size)
                #expect(!text.contains(Self.mark) && text.contains("<redacted:"), "\(text)")
            }
        }
        let json = "{\"run\":\"\(line.replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\"}"
        let text = redact(json, as: "application/json")
        #expect(!text.contains(Self.mark) && text.hasSuffix("\"}"), "\(text)")
    }

    @Test(arguments: ["AUTH MARK", "AUTH PLAIN MARK\r\n", "PASS MARK\nNICK a\n", "AUTH ann MARK"])
    func `a planted secret is replaced in a command of a message`(template: String) {
        let message = Array(Self.planted(template, "").utf8)
        for isText in [true, false] {
            let text = String(decoding: redactor.redact(message: message, isText: isText), as: UTF8.self)
            #expect(!text.contains(Self.mark) && text.hasPrefix(template.prefix(5)), "\(text)")
        }
    }

    @Test(arguments: [
        "use --password to log in", "docker run -u 1000:1000 a", "--token", "AUTH is required here", "AUTH PLAIN LOGIN",
        "a - b -- c --- d", "docker run -u node:node a", "scp -u /a:/b", "git log --author ann", "PASS 12 of 13 tests",
    ])
    func `a line of a command without a secret stays`(line: String) {
        #expect(redact(line, as: "text/plain") == line)
        #expect(redactor.redact(message: Array(line.utf8), isText: true) == Array(line.utf8))
    }

    @Test(arguments: [
        "Authentication-Info: nextnonce=\"MARK\"", "X-Ms-Client-Principal: MARK", "Shunt-Profile: MARK", "Expect: MARK",
        "Content-Security-Policy: default-src 'self'; report-uri https://a.test/1?sentry_key=MARK&sentry_version=7",
        "Report-To: {\"endpoints\":[{\"url\":\"https://a.test/?sentry_key=MARK\"}]}", "Content-Length: MARK",
        "Location: https://a.test/x?Policy=MARK&Signature=a&Key-Pair-Id=K1",
    ])
    func `a planted secret is replaced in fields that others name`(line: String) {
        let field = Self.planted(line, "") + "\r\n"
        let text = String(decoding: redactor.redact(fields: Array(field.utf8)), as: UTF8.self)
        #expect(!text.contains(Self.mark) && text.contains("redacted"), "\(text)")
    }

    @Test(arguments: [
        "Shunt-Profile: staging-2", "Expect: 100-continue", "Content-Length: 123456789012", "Connection: keep-alive",
        "Content-Security-Policy: script-src 'self'", "Location: /?policy=strict-dynamic", "Upgrade: websocket",
    ])
    func `fields without a secret stay`(line: String) {
        #expect(redactor.redact(fields: Array(line.utf8)) == Array(line.utf8))
    }

    @Test(arguments: [
        "the Shunt-Profile field names no profile: \"MARK\"", "there is no network “MARK”",
        "Content-Length \"MARK\" (RFC 9110 8.6: digits alone, below 2^63, are expected)",
    ])
    func `a planted secret is replaced where a message quotes it`(text: String) {
        let text = redactor.redact(text: Self.planted(text, ""))
        #expect(!text.contains(Self.mark) && text.contains("<redacted:name:"), "\(text)")
        #expect(redactor.redact(text: text) == text)
        #expect(!redactor.redact(unknownName: Self.mark).contains(Self.mark))
        #expect(redactor.redact(unknownName: "staging-2") == "staging-2")
    }

    /// Formats with something in front that may be repeated, and how a secret stands in them.
    private static let long: [(type: String, begin: String, filler: String, place: String)] = [
        ("application/json", "[", #"{"a":"b c","d":12},"#, #"{"password" : "MARK"},{"b":1}]"#),
        ("application/json", "[", #"{"a":"b c","d":12},"#, #"{"value":"MARK","name":"password"},1]"#),
        ("application/json", "[", #"{"a":"b c","d":12},"#, #"{"name":"password","value":"MARK"},1]"#),
        ("application/json", "[", #"{"a":"b c","d":12},"#, #"{"password":{"value":["MARK"]}},1]"#),
        ("application/json", "[", #"{"a":"b c","d":12},"#, ##"{"x":"\n Bearer MARK\u0020"},1]"##),
        ("text/plain", "", "a line of a log\n", "password: MARK\nnext: 1\n"),
        ("text/plain", "", "a line of a log\n", "-----BEGIN PRIVATE KEY-----\nMARK\n-----END PRIVATE KEY-----\n"),
        ("application/x-www-form-urlencoded", "", "a=b+c&", "password=MARK&u=%2F%3Ftoken%3DMARK%26x&y=1"),
        ("text/html", "<html>", "<p class='a'>b c</p>", "<input name=password value='MARK'><p>a"),
        ("text/html", "<html><script>", "a(1<2);", "b={\"token\":\"MARK\"};</script><p>a"),
        ("text/xml", "<a>", "<b c='d'>e</b>", "<name>password</name><value>MARK</value><token> MARK </token></a>"),
        ("text/csv", "id,password,x\n", "1,,b\n", "2,\"MARK\",c\n"),
        (
            "multipart/form-data; boundary=b", "--b\r\n\r\n", "line of text\r\n",
            "\r\n--b\r\nContent-Disposition: form-data; name=token\r\n\r\nMARK\r\n--b--"
        ),
        ("application/javascript", "", "a(1);", "b={\"token\":\"MARK\"};"),
    ]

    @Test(arguments: long.indices)
    func `a planted secret is replaced at every place around the end of a window`(row: Int) {
        let (type, begin, filler, place) = Self.long[row]
        let room = 65_536 - begin.utf8.count
        for shift in Circle.some(of: stride(from: -6, to: place.utf8.count + 6, by: 3)) {
            let count = (room - shift) / filler.utf8.count
            // What is missing to the place is put into the first filler's front.
            let front = begin + String(repeating: filler, count: count)
            let pad = String(repeating: " ", count: max(0, 65_536 - shift - front.utf8.count))
            let body = front + (type.contains("urlencoded") || type == "text/csv" ? "" : pad) + Self.planted(place, "")
            let whole = redact(body, as: type, piece: 65_000)
            #expect(!whole.contains(Self.mark), "\(type) at \(shift): \(whole.suffix(200))")
            #expect(whole.hasPrefix(front) && whole.contains("redacted:"), "\(type) at \(shift)")
            #expect(redact(body, as: type, piece: 3001) == whole, "\(type) at \(shift)")
        }
    }

    @Test(arguments: [("", ""), (#"{"image":""#, #"","a":1}"#), ("<p>", "</p>")])
    func `a value that takes a mebibyte stays, and what follows beyond is replaced`(begin: String, end: String) {
        let type = begin.hasPrefix("{") ? "application/json" : begin.isEmpty ? "text/plain" : "text/html"
        for piece in [5_000, 1 << 20, 3 << 20] {
            let whole = begin + String(repeating: "x", count: (1 << 20) - begin.utf8.count - end.utf8.count) + end
            #expect(redact(whole, as: type, piece: piece) == whole)
            let long = redact(begin + String(repeating: "x", count: 1 << 21) + end, as: type, piece: piece)
            #expect(
                long.hasPrefix(begin + String(repeating: "x", count: (1 << 20) - begin.utf8.count) + "<redacted:rest"))
            let secret = #"{"password":"\#(String(repeating: Self.mark, count: 100_000))"}"#
            #expect(!redact(secret, as: "application/json", piece: piece).contains(Self.mark))
        }
    }

    @Test(arguments: [9_000, 66_000, 100_000, 131_000, 200_000, 270_000])
    func `a planted secret is replaced behind a value of any length`(length: Int) {
        let long = String(repeating: "a1 b", count: length / 4)
        let filler = String(repeating: #"{"a":"b c"},"#, count: 5_000)
        for (type, body) in [
            ("application/json", #"[\#(filler){"value":"\#(long)"},\#(filler){"password":"\#(Self.mark)"}]"#),
            (
                "text/html",
                "<p>\(filler)</p><script>a('\(long)')</script>\(filler)<input name=pin value='\(Self.mark)'>"
            ),
        ] {
            let whole = redact(body, as: type)
            #expect(!whole.contains(Self.mark) && whole.utf8.count > body.utf8.count - 100)
            for size in [5_000, 65_536, 100_000] { #expect(redact(body, as: type, piece: size) == whole) }
        }
    }

    @Test func `JSON in base64 goes if it holds a secret`() {
        for (claims, isSecret) in [
            (#"{"userId":"1","password":"\#(Self.mark)"}"#, true), (#"{"cursor":12,"direction":"next"}"#, false),
            ("{ \"a\": {\"access_token\":\"\(Self.mark)\"}}", true),
        ] {
            let word = base64URL(claims)
            let field = Array("X-Any-Principal: \(word)==\r\n".utf8)
            #expect((redactor.redact(fields: field) != field) == isSecret)
            for size in [Int.max, 1] {
                for (type, body) in [
                    ("application/json", "{\"a\":\"\(word)\"}"), ("text/plain", "a \(word)= b"),
                    ("application/x-www-form-urlencoded", "a=\(word)%3D&b=c"),
                ] {
                    let text = redact(body, as: type, piece: size)
                    #expect(text.contains("redacted:encoded") == isSecret && (text == body) == !isSecret, "\(text)")
                }
                let page = "{\"a\":\"data:application/json;base64,\(word)\"}"
                #expect(redact(page, as: "application/json", piece: size) == page)
            }
        }
    }

    @Test func `a private key is replaced among other bytes`() {
        let key = "-----BEGIN PRIVATE KEY-----\n\(Self.mark)\n-----END PRIVATE KEY-----"
        let front: [UInt8] = [0, 1, 2, 255] + Array("Bearer abc12345 ".utf8)
        let back: [UInt8] = Array(" password=x".utf8) + [0, 255]
        let bytes = front + Array(key.utf8) + back
        for size in [Int.max, 1, 7] {
            let text = redact(bytes, as: "application/octet-stream", piece: size)
            #expect(text.starts(with: front) && Array(text.suffix(back.count)) == back)
            #expect(!String(decoding: text, as: UTF8.self).contains(Self.mark))
        }
    }
}
