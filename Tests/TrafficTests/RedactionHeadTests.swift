import Redaction
import TestSupport
import Testing

@Suite struct RedactionHeadTests {
    @Test(arguments: [
        ("Authorization: Bearer abc.def", "Authorization: Bearer <redacted:authorization:#>"),
        ("authorization:Basic dTpw", "authorization:Basic <redacted:authorization:#>"),
        ("Authorization: s3cret two", "Authorization: <redacted:authorization:#>"),
        (
            "Proxy-Authorization: Digest username=\"u\", response=\"x\"",
            "Proxy-Authorization: Digest <redacted:proxy-authorization:#>"
        ),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=f",
            "Authorization: AWS4-HMAC-SHA256 <redacted:authorization:#>"
        ),
        ("Authorization:", "Authorization:"),
        ("Authorization: null", "Authorization: null"),
        (
            "Cookie: sid=1; theme=dark;lang = de ; empty=; on=true",
            "Cookie: sid=<redacted:sid:#>; theme=<redacted:theme:#>;lang = <redacted:lang:#> ; empty=; on=true"
        ),
        ("Cookie: justavalue", "Cookie: <redacted:cookie:#>"),
        ("Set-Cookie: sid=a=b; Path=/; HttpOnly", "Set-Cookie: sid=<redacted:sid:#>; Path=/; HttpOnly"),
        ("Set-Cookie: sid=; Max-Age=0", "Set-Cookie: sid=; Max-Age=0"),
        ("X-Api-Key: k", "X-Api-Key: <redacted:x-api-key:#>"),
        ("apikey: k", "apikey: <redacted:apikey:#>"),
        ("X-Goog-Api-Key: k", "X-Goog-Api-Key: <redacted:x-goog-api-key:#>"),
        ("X-XSRF-TOKEN: k", "X-XSRF-TOKEN: <redacted:x-xsrf-token:#>"),
        ("X-Amz-Security-Token: k", "X-Amz-Security-Token: <redacted:x-amz-security-token:#>"),
        ("My-Session: k", "My-Session: <redacted:my-session:#>"),
        ("X-Db-Password: k", "X-Db-Password: <redacted:x-db-password:#>"),
        ("X-User-Credentials: k", "X-User-Credentials: <redacted:x-user-credentials:#>"),
        ("X-RateLimit-Limit-Tokens: 100", "X-RateLimit-Limit-Tokens: 100"),
        ("Access-Control-Allow-Credentials: yes", "Access-Control-Allow-Credentials: yes"),
        (
            "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"",
            "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\""
        ),
        ("X-Note: use bearer Abc12345 now", "X-Note: use bearer <redacted:bearer:#> now"),
        (
            "Location: https://u:p@a.test/cb?code=1&x=2#access_token=3&y=4",
            "Location: https://%3Credacted%3Auserinfo%3A#%3E@a.test/cb?code=%3Credacted:code:#%3E&x=2"
                + "#access_token=%3Credacted:access_token:#%3E&y=4"
        ),
        (
            "Link: </a?token=1>; rel=next, </b?c=2>; rel=prev",
            "Link: </a?token=%3Credacted:token:#%3E>; rel=next, </b?c=2>; rel=prev"
        ),
        ("Refresh: 5; url=/a?sig=1", "Refresh: 5; url=/a?sig=%3Credacted:sig:#%3E"),
        ("Referer: https://a.test/?a=1", "Referer: https://a.test/?a=1"),
        (":path: /a?token=1", ":path: /a?token=%3Credacted:token:#%3E"),
        ("no colon", "no colon"),
        ("Accept: */*", "Accept: */*"),
    ])
    func `a field loses its secrets and nothing else`(line: String, expected: String) {
        for end in ["\r\n", "\n"] {
            let head = "GET / HTTP/1.1\(end)Host: a.test\(end)\(line)\(end)X: y\(end)\(end)"
            let wanted = "GET / HTTP/1.1\(end)Host: a.test\(end)\(expected)\(end)X: y\(end)\(end)"
            #expect(shortened(redactor.redact(head: Array(head.utf8))) == wanted)
        }
        #expect(shortened(redactor.redact(fields: Array(line.utf8))) == expected)
    }

    @Test(arguments: [
        ("GET /a?token=x HTTP/1.1", "GET /a?token=%3Credacted:token:#%3E HTTP/1.1"),
        ("GET /a?token=x", "GET /a?token=%3Credacted:token:#%3E"),
        ("GET /a?q=a b&token=x HTTP/1.1", "GET /a?q=a b&token=%3Credacted:token:#%3E HTTP/1.1"),
        ("OPTIONS * HTTP/1.1", "OPTIONS * HTTP/1.1"),
        ("HTTP/1.1 200 OK", "HTTP/1.1 200 OK"),
        (
            ":method: GET\r\n:path: /a?token=x\r\n:authority: a.test\r\ncookie: a=x",
            ":method: GET\r\n:path: /a?token=%3Credacted:token:#%3E\r\n:authority: a.test\r\ncookie: a=<redacted:a:#>"
        ),
        (":method: GET\r\nx-api-key: k", ":method: GET\r\nx-api-key: <redacted:x-api-key:#>"),
        (":method: /a?token=x HTTP/1.1", ":method: /a?token=%3Credacted:token:#%3E HTTP/1.1"),
        ("M-SEARCH /a?token=x HTTP/1.1", "M-SEARCH /a?token=%3Credacted:token:#%3E HTTP/1.1"),
        ("", ""),
    ])
    func `a start line loses the secrets of its target`(line: String, expected: String) {
        #expect(shortened(redactor.redact(head: Array((line + "\r\n\r\n").utf8))) == expected + "\r\n\r\n")
        #expect(shortened(redactor.redact(head: Array(line.utf8))) == expected)
    }

    @Test(arguments: [
        "{\"password\":\"SECRET\", \"a\":1}", "client_secret=SECRET&x=y z", "{\"a\":1,\"token\":\"SECRET\", \"b\":2}",
        "Authorization: Basic SECRET x", "/a?token=SECRET HTTP/1.1", "http://joe:SECRET@a.test/ HTTP/1.1",
        "/reset-password/SECRET HTTP/1.1", "GET /a?q=a b&token=SECRET", "POST /a http://joe:SECRET@a.test/",
    ])
    func `a line that is no request loses the secrets of its first and last word, too`(line: String) {
        let text = line.replacing("SECRET", with: "Hunter2Hunter2")
        let redacted = String(decoding: redactor.redact(head: Array((text + "\r\n\r\n").utf8)), as: UTF8.self)
        #expect(!redacted.contains("Hunter2") && redacted.contains("redacted"), "\(redacted)")
    }

    @Test(arguments: ["ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhIn0.c2lnbmF0dXJl"])
    func `a credential in the place of the method goes`(credential: String) {
        let redacted = String(
            decoding: redactor.redact(head: Array("\(credential) / HTTP/1.1\r\n\r\n".utf8)), as: UTF8.self)
        #expect(!redacted.contains(credential.suffix(10)) && redacted.contains("redacted"), "\(redacted)")
    }

    @Test(arguments: [
        ("graphql-transport-ws, chat", "graphql-transport-ws, chat"),
        ("jwt, zq7", "jwt, <redacted:protocol:#>"),
        ("JWT , a, b", "JWT , <redacted:protocol:#>, <redacted:protocol:#>"),
        ("jwt.zq7", "jwt.<redacted:protocol:#>"),
        ("abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz012345"),
        ("abcdefghijklmnopqrstuvwxyz0123456", "<redacted:protocol:#>"),
        ("Abcdefghijklmno", "Abcdefghijklmno"), ("Abcdefghijklmnop", "<redacted:protocol:#>"),
    ])
    func `of names of protocols those that hold a token go`(value: String, expected: String) {
        let name = "Sec-WebSocket-Protocol: "
        #expect(shortened(redactor.redact(fields: Array((name + value + "\r\n").utf8))) == name + expected + "\r\n")
    }

    @Test func `a folded value goes as a whole`() {
        let head = "GET / HTTP/1.1\r\nX-Api-Key: one\r\n two\r\n\tthree\r\nA: b\r\n\r\n"
        #expect(
            shortened(redactor.redact(head: Array(head.utf8)))
                == "GET / HTTP/1.1\r\nX-Api-Key: <redacted:x-api-key:#>\r\nA: b\r\n\r\n")
    }

    @Test(arguments: [
        ("/a;jsessionid=1/b?x=2", "/a;jsessionid=%3Credacted:jsessionid:#%3E/b?x=2"),
        ("?a=1;pwd=2&b", "?a=1;pwd=%3Credacted:pwd:#%3E&b"),
        ("/?%74oken=1", "/?%74oken=%3Credacted:token:#%3E"),
        (
            "/?user[password]=1&user[key]=2",
            "/?user[password]=%3Credacted:userpassword:#%3E&user[key]=%3Credacted:userkey:#%3E"
        ),
        ("/?token=", "/?token="), ("/?token=1#top", "/?token=%3Credacted:token:#%3E#top"),
        ("/a;sid=1?b=2", "/a;sid=%3Credacted:sid:#%3E?b=2"),
        ("/?token&key", "/?token&key"),
        ("/?token=true&key=null", "/?token=true&key=null"),
        (
            "/?X-Amz-Signature=1&X-Amz-Credential=2&X-Amz-Date=3",
            "/?X-Amz-Signature=%3Credacted:x-amz-signature:#%3E&X-Amz-Credential=%3Credacted:x-amz-credential:#%3E"
                + "&X-Amz-Date=3"
        ),
        ("/#/cb?access_token=1&state=2", "/#/cb?access_token=%3Credacted:access_token:#%3E&state=2"),
        (
            "/?next=https%3A%2F%2Fa%2F%3Fcode%3D1%26x%3D2&y=3",
            "/?next=https%3A%2F%2Fa%2F%3Fcode%3D%3Credacted:code:#%3E%26x%3D2&y=3"
        ),
        ("//ghp_1@a.test/", "//%3Credacted%3Auserinfo%3A#%3E@a.test/"),
        ("https://a.test:80/@x", "https://a.test:80/@x"),
        (
            "/?q=Bearer+abc123&r=Bearer%20abc123",
            "/?q=Bearer+%3Credacted:bearer:#%3E&r=Bearer%20%3Credacted:bearer:#%3E"
        ),
        ("mailto:a@b", "mailto:a@b"),
        ("/?token_type=bearer&max_tokens=5", "/?token_type=bearer&max_tokens=5"),
    ])
    func `a URL loses its secrets wherever they stand`(url: String, expected: String) {
        #expect(shortened(redactor.redact(url: url)) == expected)
    }

    @Test func `equal values look equal wherever they stand, under one key`() {
        let secret = "p+ss/w rd=1"
        let found =
            digests(
                in: String(decoding: redactor.redact(head: Array("GET / H\r\nX-Token: \(secret)".utf8)), as: UTF8.self))
            + digests(in: redactor.redact(url: "/?token=p%2Bss/w+rd=1"))
            + digests(in: redact("password=p%2Bss%2Fw%20rd%3D1", as: "application/x-www-form-urlencoded"))
            + digests(in: redact(#"{"pwd":"p\u002bss\/w rd=1"}"#, as: "application/json"))
        #expect(found.count == 4)
        #expect(Set(found).count == 1)
        let other = Redactor(key: [1]).redact(url: "/?token=p%2Bss/w+rd=1")
        #expect(digests(in: other).count == 1)
        #expect(Set(digests(in: other)).isDisjoint(with: found))
    }

    @Test func `the digest is that of HMAC-SHA256`() {
        // RFC 4231, test cases 2 and 6: a short key, and one longer than a block.
        #expect(
            Redactor(key: Array("Jefe".utf8)).redact(url: "/?token=what+do+ya+want+for+nothing?")
                == "/?token=%3Credacted:token:5bdcc146bf%3E")
        #expect(
            Redactor(key: [UInt8](repeating: 0xAA, count: 131))
                .redact(query: "token=Test+Using+Larger+Than+Block-Size+Key+-+Hash+Key+First")
                == "token=%3Credacted:token:60e431591e%3E")
    }

    @Test(arguments: [
        ("X-Acme-Id: 1", "X-Acme-Id: <redacted:x-acme-id:#>"), ("X-Acme: 1", "X-Acme: 1"),
        ("Ssn: 1", "Ssn: <redacted:ssn:#>"), ("Ssn2: 1", "Ssn2: 1"), ("my-pin: 1", "my-pin: <redacted:my-pin:#>"),
        ("a-pin-b: 1", "a-pin-b: 1"), ("q-mid-q: 1", "q-mid-q: <redacted:q-mid-q:#>"),
    ])
    func `rules add names, open at their ends`(line: String, expected: String) {
        let redactor = Redactor(key: [1], rules: RedactionRules(names: ["x-ACME-*", "ssn", "*pin", "*mid*", ""]))
        #expect(shortened(redactor.redact(fields: Array(line.utf8))) == expected)
    }

    @Test(arguments: ["//a:b@", "//a:b", "//a:b?", "a:b@"])
    func `a URL of many users and passwords takes time in proportion to its length`(part: String) {
        let growth = growth(from: 8 << 10) { size in
            _ = redactor.redact(url: "http://x/?" + String(repeating: part, count: size / 4) + " @")
        }
        #expect(growth < 9)
    }
}
