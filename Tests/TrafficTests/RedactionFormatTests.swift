import Redaction
import Testing

/// What of bodies without a grammar of their own is a secret, and what is none.
@Suite struct RedactionFormatTests {
    @Test(
        arguments: [
            ("text/plain", "login password: h7 ok", "login password: <redacted:password:#> ok"),
            ("text/plain", "password: one two\nnext: 1", "password: <redacted:password:#>\nnext: 1"),
            ("text/plain", "Mot de passe : x\n", "Mot de passe : <redacted:motdepasse:#>\n"),
            (
                "application/yaml", "env:\n- value: one two\n  name: DB_PASSWORD\n- value: \"x\"\n  key: API_TOKEN\n",
                "env:\n- value: <redacted:db_password:#>\n  name: DB_PASSWORD\n"
                    + "- value: \"<redacted:api_token:#>\"\n  key: API_TOKEN\n"
            ),
            (
                "text/plain", "- value: 'x'\n  name: password", "- value: '<redacted:password:#>'\n  name: password"
            ),
            ("application/yaml", "- value: dark\n  name: THEME\n- value: x\n\nvalue: y\nz: password\nvalue:\n", nil),
            (
                "application/yaml", "- name: THEME\n  value: dark\n- value: z\n  name: token\n",
                "- name: THEME\n  value: dark\n- value: <redacted:token:#>\n  name: token\n"
            ),
            ("text/plain", "(token=a,b), c", "(token=<redacted:token:#>), c"),
            ("text/plain", "password=>'x'", "password=>'<redacted:password:#>'"),
            ("text/plain", "user=a&password=b+c%21&x=y", "user=a&password=<redacted:password:#>&x=y"),
            ("text/plain", "unexpected token: expected name", nil),
            ("", "CONNECT\nlogin:a\npasscode:b\n\n\0", "CONNECT\nlogin:a\npasscode:<redacted:passcode:#>\n\n\0"),
            ("", "[db]\npassword = a b\nuser = x", "[db]\npassword = <redacted:password:#>\nuser = x"),
            ("application/json", #"{"e":"missing password: please give one"}"#, nil),
            ("application/json", #"{"e":"password: h7."}"#, #"{"e":"password: <redacted:password:#>"}"#),
            (
                "application/json", #"{"q":"mutation($password: String!){login(password:$password){id}}"}"#, nil
            ),
            (
                "application/json", #"{"c":"Server=x;Password=a'b;AccountKey=eA==;Database=y"}"#,
                #"{"c":"Server=x;Password=<redacted:password:#>;AccountKey=<redacted:accountkey:#>;Database=y"}"#
            ),
            (
                "application/json", #"{"u":"/a?token=x\u0026code=y\u0026z=1"}"#,
                #"{"u":"/a?token=<redacted:token:#>\u0026code=<redacted:code:#>\u0026z=1"}"#
            ),
            (
                "application/json", #"{"u":"https://a/b?%7B%22pwd%22%3A%22x%22%7D","v":"/a?%7b%22pwd%22:1%7d"}"#,
                #"{"u":"https://a/b?<redacted:json:#>","v":"/a?<redacted:json:#>"}"#
            ),
            ("text/plain", "see /a?%7B%22pwd%22%3A%22x%22%7D now?", "see /a?<redacted:json:#> now?"),
            ("text/html", "<a href='/a?%7B%22pwd%22%3A%22x%22%7D'>?</a>", "<a href='/a?<redacted:json:#>'>?</a>"),
            ("application/json", #"{"u":"https://a/b?%7B%22page%22%3A1%7D","why":"what? %7B"}"#, nil),
            ("application/json", #"{"name":"theme","value":"dark"}"#, nil),
            ("application/json", #"[{"value":"dark","name":"theme"},{"value":1}]"#, nil),
            ("application/json", #"[{"name":"password"},{"value":"dark"}]"#, nil),
            ("text/javascript", "password=e.value;token===a?b:c;const password=h()", nil),
            ("text/javascript", "let a={password:`hunter2`}", "let a={password:`<redacted:password:#>`}"),
            ("text/javascript", "let a={\"pin\":\"4711\"}", "let a={\"pin\":\"<redacted:pin:#>\"}"),
            (
                "text/javascript", "f('x',{headers:{\"Authorization\":\"Basic dTpwYXNzd29yZA==\"}})",
                "f('x',{headers:{\"Authorization\":\"<redacted:authorization:#>\"}})"
            ),
            ("text/javascript", "fetch(\"/a\", {credentials: \"include\"})", nil),
            ("text/javascript", "fetch('/a',{credentials:'same-origin',\"token\":\"oauth2\"})", nil),
            ("text/javascript", "q={password:'Enter your password',token:`${a.b}`,\"secret\":\"#secret\"}", nil),
            ("text/javascript", "r=/token='/.test(x)||y('a');z='b'", nil),
            ("text/javascript", "a={\"token\":{get(){return x}},\"password\":[...b],\"pin\":-c}", nil),
            (
                "text/javascript", "a={\"credentials\":{\"id\":\"a\",\"value\":\"x9y8z7w6\"}}",
                "a={\"credentials\":{\"id\":\"a\",\"value\":\"<redacted:credentials:#>\"}}"
            ),
            ("text/javascript", "f([\"password\",\"set-cookie2\",'x'])", nil),
            ("text/javascript", "e=(null!=this._password?\":\"+this._password:\"\")+\"@\"", nil),
            ("text/html", "<p>https://user:pass@host/ and https://abc:123@host/</p>", nil),
            ("text/html", "<script>if(a(1<2)){b(\"x\")}</script>", nil),
            ("text/html", "<pre>-----BEGIN PRIVATE KEY-----\nXXXX\n-----END PRIVATE KEY-----</pre>", nil),
            ("text/css", "{}a[type=\"password\"]{token:\"none\"}", nil),
            ("text/xml", "<m><name>theme</name><value>dark</value></m>", nil),
            ("text/xml", "<m><key>password</key></m><value>dark</value>", nil),
            ("application/x-www-form-urlencoded", "f=%7B%22a%22%3A+1%7D&g=[1]", nil),
            (
                "application/x-www-form-urlencoded",
                "u=https%3A%2F%2Fa%2Fb%3F%257B%2522pwd%2522%253A%2522x%2522%257D&g=1",
                "u=https%3A%2F%2Fa%2Fb%3F%257B%2522pwd%2522:%2522%253Credacted:pwd:#%253E%2522%257D&g=1"
            ),
            (
                "application/x-www-form-urlencoded", "f={\"pwd\":\"x\"}&g=1",
                "f={%22pwd%22:%22%3Credacted:pwd:#%3E%22%7D&g=1"
            ),
            (
                "multipart/mixed; boundary=x",
                "--x\r\nContent-Type: application/http\r\n\r\nGET /?token=y HTTP/1.1\r\n\r\n--x--",
                "--x\r\nContent-Type: application/http\r\n\r\nGET /?token=<redacted:token:#> HTTP/1.1\r\n\r\n--x--"
            ),
            (
                "multipart/mixed; boundary=x",
                "--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\nContent-Disposition : form-data;"
                    + " name=pwd\r\n\r\nz\r\n--y--\r\n--x--",
                "--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\nContent-Disposition : form-data;"
                    + " name=pwd\r\n\r\n<redacted:pwd:#>\r\n--y--\r\n--x--"
            ),
            (
                "text/plain",
                "-----BEGIN CERTIFICATE-----\nq8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax\n-----END CERTIFICATE-----",
                nil
            ),
            ("application/json", "{\"a\":\"git+ssh://git@github.com/a/b\"}", nil),
        ] as [(String, String, String?)])
    func `a body loses its secrets and nothing else`(type: String, body: String, expected: String?) {
        for size in [Int.max, 1, 2, 3, 7] {
            #expect(shortened(redact(body, as: type, piece: size)) == expected ?? body, "pieces of \(size)")
        }
    }

    @Test(arguments: [
        "contraseña", "Contrasena", "senha", "nova_senha", "senhaAtual2.senha", "Passwort", "neues-Kennwort",
        "motDePasse",
        "mot de passe", "wachtwoord", "lösenord", "hasło", "heslo", "şifre", "kata_sandi", "пароль", "Пароль", "密码",
        "密碼", "パスワード", "비밀번호", "كلمة المرور", "पासवर्ड", "pin", "userPin", "card_cvv", "CVC", "cardNumber", "card-number",
        "pan", "iban", "user.ssn", "otp", "loginOtp", "mfa_code", "verificationCode", "connectionString", "accountKey",
        "ssh_private_key", "authorization",
    ])
    func `names that everybody calls secret are secrets`(name: String) {
        #expect(shortened(redact("{\"\(name)\":\"x\"}", as: "application/json")).contains(":#>"))
        #expect(redact("a=b&\(name)=xyz", as: "application/x-www-form-urlencoded").contains("redacted"))
    }

    @Test(arguments: [
        "spinner", "company", "japan", "opinion", "pinned", "bypass", "compass", "encoding", "keyboard", "design",
        "assign", "country_code", "tokenCount", "signature", "timespan", "panel", "notpin1",
    ])
    func `names that hold such a name by chance are none`(name: String) {
        #expect(redact("{\"\(name)\":\"x\"}", as: "application/json") == "{\"\(name)\":\"x\"}")
    }

    @Test(arguments: [
        "ghp_5k4k8xYq9Zt2LmN7pRw3Vb6Js1Dg0Hf5TcAA", "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdef",
        "glpat-x7Kq2Zt9LmN4pRw3Vb6J", "sk_live_51H8xYq9Zt2LmN7pRw3Vb6Js", "rk_live_51H8xYq9Zt2LmN7pRw3Vb6Js",
        "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "xoxb-123456789012-abcdefGHIJKL",
        "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "npm_5k4k8xYq9Zt2LmN7pRw3Vb6Js1Dg0Hf5TcAA", "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345678",
        "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "shpat_0123456789abcdef0123456789abcdef", "q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax",
        "q8Zk3/w7Rt1Vb5Nm9+s2Pd6Fh0Gj4Yax", "SK0123456789abcdef0123456789abcdef",
        // As long as a line of wrapped text.
        "q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yaxq8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax",
    ])
    func `what looks like a credential is one wherever it stands`(value: String) {
        let expected = "<redacted:credential:#>"
        for size in [Int.max, 1, 7] {
            #expect(
                shortened(redact("{\"a\":[\"\(value)\"]}", as: "application/json", piece: size))
                    == "{\"a\":[\"\(expected)\"]}")
            #expect(shortened(redact("a \(value) b", as: "text/plain", piece: size)) == "a \(expected) b")
        }
        #expect(shortened(redactor.redact(fields: Array("X-Any: \(value)\r\n".utf8))) == "X-Any: \(expected)\r\n")
        #expect(
            redactor.redact(query: "a=\(value.replacing("+", with: "%2B"))&b").hasPrefix("a=%3Credacted:credential:"))
    }

    @Test(arguments: [
        "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e", "12345678901234567890123456789012",
        "sha512-q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax+q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax==",
        "data:image/png;base64,q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax", "cus_NffrFeUfNV2Hib",
        "price_1MoBy5LkdIwHu7ixZhnattbh",
        "VGhpcyBpcyBhIHRleHQgaW4gYmFzZTY0LCBubyBzZWNyZXQ", "getElementsByClassNameAndTagName2InDocument",
        "/assets/index-B7x9Kq2Z.js", "2026-05-01T10:00:00.000Z", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "task-force-2024-report-final-version",
        "__listOf__integerMin0Max2147483647", "sk-learn-a-new-language-today",
        "AAAAC3NzaC1lZDI1NTE5AAAAIq8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0", "SKU-482913-BLACK-XL-ABCD-EDITION-2026",
        "npm_i_save_dev_types_Slash_1_if_it_exists_or_add_a_new_declaration",
        "C_kwDOGpsAJ9oAKGYyM2RhNDUzOTE3YTM2YzhiZDQ4YWI4ZDk5ZTVmYTcyMjE4ODQzNDI",
        "5e01a8c7-c861-4c0a-b1d5-12345EXAMPLE", "P2OnDemand_Batch_2c06f29d-d1fe-3a49-879d-42394c86effc",
    ])
    func `what is no credential stays`(value: String) {
        for size in [Int.max, 1, 7] {
            let body = "{\"a\":[\"\(value)\"]}"
            #expect(redact(body, as: "application/json", piece: size) == body)
        }
    }

    private static let prime = String(repeating: "q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Ya", count: 3)

    @Test(
        arguments: [
            (#"{"kty":"RSA","n":"AQ","p":"\#(prime)","q":"\#(prime)"}"#, 2),
            (#"{"q":"\#(String(repeating: "iphone15-", count: 9))"}"#, nil),
            (#"{"q":"iphone 15 pro max","p":2}"#, nil),
            (#"{"q":"iphone15-pro-max-case-2","p":"page2of17andmore"}"#, nil),
            (#"{"dp":"\#(prime)","dq":"\#(prime)","qi":"\#(prime)","d":"\#(prime)","k":"a7Fq-3kLm92xZ_0b"}"#, 5),
        ] as [(String, Int?)])
    func `the secret numbers of a key go`(body: String, count: Int?) {
        for size in [Int.max, 1, 7] {
            let redacted = redact(body, as: "application/json", piece: size)
            if let count {
                #expect(digests(in: redacted).count == count, "\(redacted)")
            } else {
                #expect(redacted == body)
            }
        }
    }

    @Test(arguments: [
        ("application/json", #"{"next":"/reset-password/8f3Kd92LqA"}"#),
        ("text/plain", "open /invite/8f3Kd92LqA5x7 now\n"),
        ("application/json", #"{"next":"\/magic-link\/8f3Kd92LqA5x"}"#),
        ("text/html", "<a href=\"/reset-password/8f3Kd92LqA5x\">x</a>"),
        ("text/html", "<a href='/account/activate/8f3Kd92LqA5x?a=b'>x</a>"),
        ("text/javascript", "go('/reset-password/8f3Kd92LqA5x')"), ("text/markdown", "[x](/verify-email/8f3Kd92LqA5x)"),
    ])
    func `a link within a host loses its secret`(type: String, body: String) {
        for size in [Int.max, 1, 7] {
            let redacted = redact(body, as: type, piece: size)
            #expect(digests(in: redacted).count == 1 && !redacted.contains("8f3K"), "\(redacted) in pieces of \(size)")
        }
    }

    @Test(arguments: [
        ("application/json", #"{"next":"/articles/reset-password-in-5-steps"}"#),
        (
            "text/html",
            "<script src=\"/assets/session/chunk-8f3kd92l.js\"></script><a href='/invite/team-members'>x</a>"
        ),
        ("text/plain", "see /docs/verify/sha256 and /v1/sessions/list/2024"),
    ])
    func `a link within a host to a page stays`(type: String, body: String) {
        for size in [Int.max, 1, 7] { #expect(redact(body, as: type, piece: size) == body) }
    }

    private static let random = "q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax"

    @Test(arguments: [
        #"{"id":"VALUE"}"#, #"{"fileId": "VALUE"}"#, #"{'endCursor' : 'VALUE'}"#, #"{"a":"{\"node_id\":\"VALUE\"}"}"#,
        #"{"codeSha256":"VALUE","x":"VALUE"}"#, #"{"etag":"W/\"VALUE\""}"#, #"{"token":"a","id":"VALUE"}"#,
        #"{"u":"https://a.test/?gclid=VALUE&id=VALUE"}"#, #"{"cert":"VALUE\n\#(random)\#(random.prefix(28))\nVALUE"}"#,
    ])
    func `a random value stays under a name that says what it is`(body: String) {
        let body = body.replacing("\"cert\":\"VALUE", with: "\"cert\":\"").replacing("\\nVALUE", with: "\\n")
            .replacing("VALUE", with: Self.random)
        let expected = body.replacing("\"token\":\"a\"", with: "\"token\":\"<redacted:token:#>\"")
        for size in [Int.max, 1, 7] {
            #expect(shortened(redact(body, as: "application/json", piece: size)) == expected)
        }
    }

    @Test(arguments: [
        #"{"sessionid":"VALUE"}"#, #"{"keyId": "VALUE"}"#, #"{"resetHash":"VALUE"}"#, #"{"id":["VALUE"]}"#,
        #"{"aNameThatIsMuchTooLongToBeReadToItsBeginningId":"VALUE"}"#, #"{"identity":"VALUE"}"#,
        #"{"id":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}"#, #"{"d":"VALUE"}"#, #"{"p":"\nVALUE"}"#, "VALUE\n",
        #"{"p":"\u003eVALUE"}"#, #"{"s\u0065ssion_id":"VALUE"}"#, #"{"saml_id":"VALUE"}"#,
        #"{"remember_hash":"VALUE"}"#,
        "your session id: VALUE\n", "reset hash=VALUE\n",
    ])
    func `a random value goes under any other name`(body: String) {
        let body = body.replacing("VALUE", with: Self.random)
        for size in [Int.max, 1, 7] {
            let redacted = redact(body, as: body.hasPrefix("{") ? "application/json" : "text/plain", piece: size)
            #expect(redacted.contains("<redacted:") && !redacted.contains(Self.random) && !redacted.contains("ghp_"))
        }
    }

    @Test(arguments: [
        "/a/VALUE", "https://a.test/VALUE/b", "/a/ghp_16C7e42F292c6912E7710c838347Ae178B4a", "/b?s%65ssion_id=VALUE",
    ])
    func `a credential goes from every part of a URL`(url: String) {
        let url = url.replacing("VALUE", with: Self.random)
        let redacted = redactor.redact(url: url)
        #expect(redacted.contains("redacted:") && !redacted.contains(Self.random) && !redacted.contains("ghp_"))
        #expect(
            redactor.redact(url: "/a/3f0c9d41-1111-4222-8333-444455556666/b")
                == "/a/3f0c9d41-1111-4222-8333-444455556666/b")
    }

    @Test func `the digits of an escape are no part of a word`() {
        let key = "ssh-ed25519%20AAAAC3NzaC1lZDI1NTE5AAAAIq8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0"
        #expect(redactor.redact(query: "a=\(key)") == "a=\(key)")
        #expect(shortened(redactor.redact(query: "a=b%20\(Self.random)")) == "a=b%20%3Credacted:credential:#%3E")
    }

    @Test func `rules keep random values under a name`() {
        let keeping = Redactor(key: [1], rules: RedactionRules(kept: ["value", "x-*"]))
        let body = "{\"value\":\"\(Self.random)\",\"next\":\"/a?x-v=\(Self.random)\"}"
        #expect(redact(body, as: "application/json", by: keeping) == body)
        #expect(redact(body, as: "application/json").split(separator: "redacted:credential").count == 3)
    }

    @Test(arguments: ["X-Amz-Id-2", "X-Amz-Cf-Id", "X-Request-Id", "Content-Digest"])
    func `a field that is an identifier keeps its random value`(name: String) {
        let line = "\(name): \(Self.random)+q8Zk3/w7Rt1Vb5Nm9+s2Pd6Fh0Gj4Yax=\r\n"
        #expect(redactor.redact(fields: Array(line.utf8)) == Array(line.utf8))
        let bearer = shortened(redactor.redact(fields: Array("\(name): Bearer abcdef.123\r\n".utf8)))
        #expect(bearer == "\(name): Bearer <redacted:bearer:#>\r\n")
    }

    @Test(arguments: [[0x1F, 0x8B, 8, 0, 1, 2, 3], [0x28, 0xB5, 0x2F, 0xFD, 4, 0]] as [[UInt8]])
    func `compressed bytes under the type of a text go as a whole`(bytes: [UInt8]) {
        for type in ["application/json", "text/html", "text/plain", "application/x-www-form-urlencoded", nil] {
            #expect(shortened(redact(bytes, as: type, piece: 1)) == "<redacted:body:#>")
        }
        for type in ["application/gzip", "application/octet-stream"] { #expect(redact(bytes, as: type) == bytes) }
    }

    @Test(arguments: [
        ("X-Authorization: x", "X-Authorization: <redacted:x-authorization:#>"),
        ("Authentication: x", "Authentication: <redacted:authentication:#>"), ("DPoP: x", "DPoP: <redacted:dpop:#>"),
        ("X-Tableau-Auth: x", "X-Tableau-Auth: <redacted:x-tableau-auth:#>"),
        ("Cf-Access-Jwt-Assertion: x", "Cf-Access-Jwt-Assertion: <redacted:cf-access-jwt-assertion:#>"),
        ("X-Firebase-AppCheck: x", "X-Firebase-AppCheck: <redacted:x-firebase-appcheck:#>"),
        ("X-Jwt: x", "X-Jwt: <redacted:x-jwt:#>"), ("X-Otp: x", "X-Otp: <redacted:x-otp:#>"),
        ("X-Hub-Signature-256: x", "X-Hub-Signature-256: <redacted:x-hub-signature-256:#>"),
        ("Stripe-Signature: x", "Stripe-Signature: <redacted:stripe-signature:#>"),
        ("X-Shopify-Hmac-Sha256: x", "X-Shopify-Hmac-Sha256: <redacted:x-shopify-hmac-sha256:#>"),
        ("svix-signature: x", "svix-signature: <redacted:svix-signature:#>"),
        ("Signature-Input: sig1=(\"@method\")", "Signature-Input: sig1=(\"@method\")"),
        ("Sec-WebSocket-Protocol: bearer, x", "Sec-WebSocket-Protocol: bearer, <redacted:protocol:#>"),
        (
            "Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.x, chat",
            "Sec-WebSocket-Protocol: base64url.bearer.<redacted:protocol:#>, chat"
        ),
        ("Sec-WebSocket-Protocol: graphql-ws, chat", "Sec-WebSocket-Protocol: graphql-ws, chat"),
        ("ETag: \"q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax\"", "ETag: \"q8Zk3Xw7Rt1Vb5Nm9Ls2Pd6Fh0Gj4Yax\""),
        ("X-Db: postgres://a:b@c/", "X-Db: postgres://%3Credacted%3Auserinfo%3A#%3E@c/"),
    ])
    func `fields that everybody calls secret are secrets`(line: String, expected: String) {
        #expect(shortened(redactor.redact(fields: Array(line.utf8))) == expected)
    }
}
