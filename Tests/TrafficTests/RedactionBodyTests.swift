import JSON
import Redaction
import Testing

@Suite struct RedactionBodyTests {
    @Test(arguments: [
        (#"{"access_token":"x","a":1}"#, #"{"access_token":"<redacted:access_token:#>","a":1}"#),
        (#"{ "a" : { "password" : "x" } }"#, #"{ "a" : { "password" : "<redacted:password:#>" } }"#),
        (
            #"[{"refreshToken":"x"},{"client_secret":"y"}]"#,
            #"[{"refreshToken":"<redacted:refreshtoken:#>"},{"client_secret":"<redacted:client_secret:#>"}]"#
        ),
        // Objects and arrays keep their structure; texts that look like no value stay, and so do sentences.
        (
            #"{"token":{"a":["}",{"value":"\"]"}],"b":"x1y2z3"},"c":1}"#,
            #"{"token":{"a":["}",{"value":"<redacted:token:#>"}],"b":"<redacted:token:#>"},"c":1}"#
        ),
        (
            #"{"tokens":["a", "b"],"c":1}"#, #"{"tokens":["<redacted:tokens:#>", "<redacted:tokens:#>"],"c":1}"#
        ),
        (
            #"{"errors":{"password":["too short","Use at least 8 characters."]}}"#,
            #"{"errors":{"password":["too short","Use at least 8 characters."]}}"#
        ),
        (#"{"password":{"type":"string","minLength":8}}"#, #"{"password":{"type":"string","minLength":8}}"#),
        (#"{"seedPhrase":["one two three"]}"#, #"{"seedPhrase":["<redacted:seedphrase:#>"]}"#),
        (#"{"password":"<redacted:pwd:0123456789>"}"#, #"{"password":"<redacted:pwd:#>"}"#),
        (
            #"{"token":null,"secret":true,"password":"","jwt":{},"api_key":[],"apiKey":false}"#,
            #"{"token":null,"secret":true,"password":"","jwt":{},"api_key":[],"apiKey":false}"#
        ),
        (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"<redacted:password:#>"}"#),
        (#"{"token":"a\"b\\","c":1}"#, #"{"token":"<redacted:token:#>","c":1}"#),
        (
            #"{"code":404,"key":"k","state":"s","signature":"q"}"#,
            #"{"code":404,"key":"k","state":"s","signature":"q"}"#
        ),
        (#"{"a":"token","b":"x"}"#, #"{"a":"token","b":"x"}"#),
        (#"{"a":"see Bearer abc\/d\u002Be=="}"#, #"{"a":"see Bearer <redacted:bearer:#>"}"#),
        (
            #"{"variables":{"input":{"passcode":"1"}},"query":"q"}"#,
            #"{"variables":{"input":{"passcode":"<redacted:passcode:#>"}},"query":"q"}"#
        ),
        (
            "{\"token\":\"a\"}\n{\"token\":\"b\"}\n",
            "{\"token\":\"<redacted:token:#>\"}\n{\"token\":\"<redacted:token:#>\"}\n"
        ),
        (
            #"{"body":"{\"token\":\"abc\",\"pen\":1,\"pwd\":\"12\"}"}"#,
            #"{"body":"{\"token\":\"<redacted:token:#>\",\"pen\":1,\"pwd\":\"<redacted:pwd:#>\"}"}"#
        ),
        (
            #"{"body":"{\"token\":\"a\\\"b\",\"c\":{\"secret\":{\"data\":\"\\\"}\"}}}"}"#,
            #"{"body":"{\"token\":\"<redacted:token:#>\",\"c\":{\"secret\":{\"data\":\"<redacted:secret:#>\"}}}"}"#
        ),
        ("event: x\ndata: {\"token\":\"a\"}\n\n", "event: x\ndata: {\"token\":\"<redacted:token:#>\"}\n\n"),
        // Broken, and still nothing gets through.
        (#"{"a":{"token":"x","#, #"{"a":{"token":"<redacted:token:#>","#),
        (#"}}]"token":"x"]"#, #"}}]"token":"<redacted:token:#>"]"#),
        (#"{"token":"x"#, #"{"token":"<redacted:token:#>"#),
        (#"{"token":{"value":"x"#, #"{"token":{"value":"<redacted:token:#>"#),
        (
            #"{"token":{"value":"x"],"value":"y"}"#,
            #"{"token":{"value":"<redacted:token:#>"],"value":"<redacted:token:#>"}"#
        ),
        (#"{"a":"unclosed, "token":"x"}"#, #"{"a":"unclosed, "token":"<redacted:token:#>"}"#),
        ("{\"a\":\"un\nclosed\n\"token\":\"x\"}", "{\"a\":\"un\nclosed\n\"token\":\"<redacted:token:#>\"}"),
        (#"{"token":'a,b',"c":1}"#, #"{"token":'<redacted:token:#>',"c":1}"#),
        (#"{"token":bare word,"c":1}"#, #"{"token":"<redacted:token:#>","c":1}"#),
        (#"{"token":,"c":1}"#, #"{"token":,"c":1}"#),
        (#"{"token""#, #"{"token""#),
    ])
    func `JSON loses the values of secret members`(body: String, expected: String) {
        for size in [Int.max, 1, 2, 3, 7] {
            #expect(shortened(redact(body, as: "application/json", piece: size)) == expected, "pieces of \(size)")
        }
        #expect(shortened(redactor.redact(message: Array(body.utf8), isText: true)) == expected)
    }

    @Test(arguments: [
        #"{"pwd":1234 , "otp":-5e3}"#, #"{"a":{"pin":[1,12345]}}"#, #"{"m":"{\"pin\":1234}"}"#, "{pin:1234,x:2}",
        "{pin: 1234, otp : 99}",
    ])
    func `a number is replaced by a number of ten digits`(body: String) {
        for size in [Int.max, 1, 2, 3] {
            let text = redact(body, as: "application/json", piece: size)
            let number = /-?[0-9][0-9.e+-]*/
            #expect(text.replacing(number, with: "N") == body.replacing(number, with: "N"))
            #expect(text.matches(of: /[12][0-9]{9}/).count == (body.contains("otp") || body.contains("[") ? 2 : 1))
        }
    }

    @Test(arguments: [
        ("user=a&password=b+c%21&x=y", "user=a&password=%3Credacted:password:#%3E&x=y"),
        (
            "grant_type=authorization_code&code=1&code_verifier=2",
            "grant_type=authorization_code&code=%3Credacted:code:#%3E&code_verifier=%3Credacted:code_verifier:#%3E"
        ),
        ("password=a#b?c;d/e&x=y", "password=%3Credacted:password:#%3E&x=y"),
        ("password=%zz%4&x=y", "password=%3Credacted:password:#%3E&x=y"),
        ("password=&token=null", "password=&token=null"),
        ("token", "token"),
        ("a=1&%70wd=x%4", "a=1&%70wd=%3Credacted:pwd:#%3E"),
    ])
    func `a form loses the values of secret members`(body: String, expected: String) {
        for size in [Int.max, 1, 2, 3, 7] {
            let type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8"
            #expect(shortened(redact(body, as: type, piece: size)) == expected, "pieces of \(size)")
        }
    }

    @Test(arguments: ["\r\n", "\n"], [#"multipart/form-data; x="a;b"; boundary="b-1""#, "multipart/form-data"])
    func `parts are read by their names and types`(end: String, type: String) {
        let parts = [
            "--b-1", "Content-Disposition: form-data; name=\"password\"", "", "se\r\n--b-\ncret", "--b-1",
            "Content-Disposition: form-data; filename=\"token\"; name=\"file\"", "Content-Type: image/png", "",
            "\u{0}Bearer abc12345", "--b-1",
            "Content-Type: application/json", "content-disposition: form-data; name=meta", "", "{\"token\":\"x\"}",
            "--b-1", "Content-Disposition: form-data; name=\"text\"", "", "-", "--b-2", "Bearer abc12345", "--b-1--",
            "the end",
        ]
        let body = parts.joined(separator: end)
        let expected = body.replacing("se\r\n--b-\ncret", with: "<redacted:password:#>")
            .replacing("\"x\"", with: "\"<redacted:token:#>\"")
            .replacing("--b-2\(end)Bearer abc12345", with: "--b-2\(end)Bearer <redacted:bearer:#>")
        for size in [Int.max, 1, 2, 3, 7, 50] {
            #expect(shortened(redact(body, as: type, piece: size)) == expected, "pieces of \(size)")
        }
    }

    @Test func `tokens are found anywhere in a text`() {
        let jwt = token(claims: #"{"sub":"1"}"#)
        let texts = [
            "a \(jwt) b": "a <redacted:jwt:#> b", "x=\(jwt)": "x=<redacted:jwt:#>",
            "t_\(jwt)\n": "t_<redacted:jwt:#>\n", "be\(jwt)": "be<redacted:jwt:#>", "b\(jwt)": "b<redacted:jwt:#>",
            "eyJhIjoxfQ.\(jwt)": "eyJhIjoxfQ.<redacted:jwt:#>", "eyJ\(jwt)": "<redacted:jwt:#>",
            "<b>BEARER \t\(jwt)</b>": "<b>BEARER \t<redacted:bearer:#></b>",
            "bearbearer a1,": "bearbearer <redacted:bearer:#>,",
            "bearer bearer a1": "bearer bearer <redacted:bearer:#>",
            "a bearer token, bearer": "a bearer token, bearer", "Bearer realm=\"x\"": "Bearer realm=\"x\"",
            "eyJhIjoxfQ.eyJhIjoxfQ.x": "eyJhIjoxfQ.eyJhIjoxfQ.x", "keys, eyes, e, b": "keys, eyes, e, b",
            "Bearer a1==== b": "Bearer <redacted:bearer:#>== b",
        ]
        for (text, expected) in texts {
            for size in [Int.max, 1, 2, 3, 7] {
                for type in ["text/plain", "image/svg+xml", "", "application/json"] {
                    #expect(shortened(redact(text, as: type, piece: size)) == expected, "\(text) as \(type) by \(size)")
                }
            }
        }
    }

    @Test func `a token keeps its claims where that is wanted`() throws {
        let redactor = Redactor(key: [1], rules: RedactionRules(keepJWTClaims: true))
        let (plain, secret) = (token(claims: #"{"sub":"1"}"#), token(claims: #"{"sub":"1","password":"x"}"#))
        let parts = plain.split(separator: ".").dropLast().joined(separator: ".")
        #expect(shortened(redact(plain, as: "text/plain", by: redactor)) == "\(parts).<redacted:jwt:#>")
        #expect(
            shortened(redactor.redact(fields: Array("Authorization: Bearer \(plain)".utf8)))
                == "Authorization: Bearer \(parts).<redacted:authorization:#>")
        #expect(
            shortened(redactor.redact(url: "/?id_token=\(plain)&x"))
                == "/?id_token=\(parts).%3Credacted:id_token:#%3E&x")
        let body = redact(#"{"id_token":"\#(secret)"}"#, as: "application/json", by: redactor, piece: 5)
        let value = try #require(try JSONReader.read(body, dialect: .strict)["id_token"]?.string)
        let found = digests(in: redact(#"{"password":"x"}"#, as: "application/json", by: redactor))
        let claims = #"{"sub":"1","password":"<redacted:password:\#(found[0])>"}"#
        #expect(value.split(separator: ".").dropFirst().first.map { String($0) } == base64URL(claims))
        #expect(redact("\(parts).a.b.c", as: "text/plain", by: redactor).hasPrefix("<redacted:jwt:"))
    }

    @Test(arguments: ["image/png", "application/grpc", "application/zip", "application/octet-stream", "video/mp4"])
    func `what holds no known places passes as it is`(type: String) {
        let bytes = Array("\u{1}Bearer abc12345 \"token\":\"x\"".utf8) + [0, 255]
        #expect(redact(bytes, as: type, piece: 3) == bytes)
    }

    @Test(arguments: [nil, "", "application/octet-stream", "text/plain", "text/html; charset=utf-8"])
    func `JSON is known by its begin`(type: String?) {
        for start in ["", " \r\n", "\u{FEFF}"] {
            for size in [Int.max, 1] {
                #expect(
                    shortened(redact(start + #"{"token":"x"}"#, as: type, piece: size))
                        == start + #"{"token":"<redacted:token:#>"}"#)
            }
        }
        #expect(redact("", as: type) == "")
        #expect(redact("7", as: type) == "7")
    }

    @Test(arguments: [
        ("a:\n  password: |\n    x\n\n     y\n  b: 1\n", "a:\n  password: |\n    <redacted:password:#>\n  b: 1\n"),
        ("token: >-\r\n  x\r\n  y\r\nb: 1", "token: >-\r\n  <redacted:token:#>\nb: 1"),
        ("password: |2+ \n  x", "password: |2+ \n  <redacted:password:#>"),
        ("password: |\nb: 1\npin: 2", "password: |\nb: 1\npin: <redacted:pin:#>"),
        ("password: >x y\nb: 1", "password: <redacted:password:#>\nb: 1"),
        ("password: |", "password: |"), ("description: |\n  x\n", "description: |\n  x\n"),
    ])
    func `a secret in a block of YAML goes to the end of the block`(body: String, expected: String) {
        for type in ["application/yaml", "text/plain", nil] {
            for size in [Int.max, 1] { #expect(shortened(redact(body, as: type, piece: size)) == expected) }
        }
    }

    @Test(arguments: [nil, "", "application/octet-stream"])
    func `a form of one pair is known without its type`(type: String?) {
        for name in ["token[]", "token%5B0%5D", "p%61ssword", "sig", "ticket", "SAMLResponse", "key"] {
            let form = redact("\(name)=x", as: type)
            #expect(form.hasPrefix("\(name)=%3Credacted:"), "\(form)")
        }
        #expect(redact("next=/a%3Ftoken%3Dx", as: type).contains("redacted"))
        for text in ["eHg=", "=x", "a=1", "b > a = 1"] { #expect(redact(text, as: type) == text) }
    }

    @Test(arguments: [
        ("application/json", true), ("text/plain; charset=UTF-16LE", false),
        ("application/json; charset=utf-16", false),
    ])
    func `a body in UTF-16 goes as a whole`(type: String, hasMark: Bool) {
        let body = ((hasMark ? "\u{FEFF}" : "") + #"{"token":"x"}"#).utf16.flatMap {
            [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        #expect(shortened(redact(body, as: type, piece: 1)) == "<redacted:body:#>")
    }

    @Test(arguments: [[0, 0, 1, 0, 7], [0, 0x61, 0x73, 0x6D], [0x50, 0, 1, 2], [0, 0, 0, 0]] as [[UInt8]])
    func `a wrong type makes no text of bytes`(bytes: [UInt8]) {
        for type in ["text/plain", "application/json", ""] {
            #expect(redact(bytes, as: type) == bytes)
            #expect(redact(bytes, as: type, piece: 1) == bytes)
        }
    }

    @Test func `a value of any length is hidden in bounded memory`() {
        let long = String(repeating: "0123456789abcdef", count: 20_000)
        for (type, body) in [
            ("application/json", #"{"token":"\#(long)"}"#), ("application/json", #"{"token":["\#(long)"]}"#),
            ("application/x-www-form-urlencoded", "token=\(long)"), ("text/plain", "Bearer \(long)"),
            ("text/plain", token(claims: long)),
        ] {
            let found = Set([Int.max, 4096, 1000].map { redact(body, as: type, piece: $0) })
            #expect(found.count == 1)
            #expect(found.allSatisfy { $0.utf8.count < 80 })
            #expect(
                Set(digests(in: redact(body + "x", as: type) + (found.first ?? ""))).count == 2 || body.hasSuffix("}"))
        }
    }

    @Test func `messages are text or binary`() {
        let message = Array(#"42["auth",{"token":"x"}]"#.utf8)
        #expect(
            shortened(redactor.redact(message: message, isText: true)) == #"42["auth",{"token":"<redacted:token:#>"}]"#)
        #expect(redactor.redact(message: message, isText: false) == redactor.redact(message: message, isText: true))
        let bytes: [UInt8] = [0, 1, 2] + message
        #expect(redactor.redact(message: bytes, isText: false) == bytes)
        let binary = Array(#"{"token":"x"}"#.utf8)
        #expect(shortened(redactor.redact(message: binary, isText: false)) == #"{"token":"<redacted:token:#>"}"#)
    }
}
