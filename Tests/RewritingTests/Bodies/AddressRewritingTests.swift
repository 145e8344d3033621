import Rewriting
import Testing

@Suite struct AddressRewritingTests {
    /// Each row: what is found, and what it becomes.
    static let replaced: [(String, String)] = [
        ("https://o.test", "http://localhost:4884"),
        ("http://o.test/", "http://localhost:4884/"),
        ("ws://o.test/a wss://o.test", "ws://localhost:4884/a ws://localhost:4884"),
        ("HTTPS://O.TEST/A", "http://localhost:4884/A"),
        ("https://o.test:443/ https://o.test:80/", "http://localhost:4884/ http://localhost:4884/"),
        ("https://o.test?a https://o.test#a", "http://localhost:4884?a http://localhost:4884#a"),
        ("(https://o.test)", "(http://localhost:4884)"),
        ("See https://o.test.", "See http://localhost:4884."),
        ("See https://o.test. Or", "See http://localhost:4884. Or"),
        ("https://o.test... https://o.test:443.", "http://localhost:4884... http://localhost:4884."),
        ("https://o.test: this", "http://localhost:4884: this"),
        ("https://o.test:/a", "http://localhost:4884/a"),
        ("-https://o.test", "-http://localhost:4884"),
        ("https://cdn.test/?u=https://o.test/", "https://cdn.test/?u=http://localhost:4884/"),
        // Without a scheme.
        ("//o.test/a", "//localhost:4884/a"),
        (
            #"src="//o.test" s='//o.test' `//o.test`"#,
            #"src="//localhost:4884" s='//localhost:4884' `//localhost:4884`"#
        ),
        ("url(//o.test/a) b=//o.test", "url(//localhost:4884/a) b=//localhost:4884"),
        ("x,//o.test\n//o.test &quot;//o.test", "x,//localhost:4884\n//localhost:4884 &quot;//localhost:4884"),
        // Escaped.
        (#"https:\/\/o.test\/a"#, #"http:\/\/localhost:4884\/a"#),
        (#""\/\/o.test\/a" \"//o.test\""#, #""\/\/localhost:4884\/a" \"//localhost:4884\""#),
        (#"https:\u002F\u002Fo.test\u002Fa"#, #"http:\u002F\u002Flocalhost:4884\u002Fa"#),
        (#"https:\u002f\u002fo.test\u002f"#, #"http:\u002f\u002flocalhost:4884\u002f"#),
        (#"https\u003A\u002F\u002Fo.test"#, #"http\u003A\u002F\u002Flocalhost:4884"#),
        (#"a\nhttps://o.test\n"#, #"a\nhttp://localhost:4884\n"#),
        (
            #"\u0022https://o.test\u0022 \x22//o.test\x22"#,
            #"\u0022http://localhost:4884\u0022 \x22//localhost:4884\x22"#
        ),
        // Percent-encoded.
        ("https%3A%2F%2Fo.test%2Fa", "http%3A%2F%2Flocalhost%3A4884%2Fa"),
        ("https%3a%2f%2fo.test%2fa", "http%3a%2f%2flocalhost%3a4884%2fa"),
        ("u=https%3A%2F%2Fo.test%3A443&b", "u=http%3A%2F%2Flocalhost%3A4884&b"),
        ("%3Dhttps%3A%2F%2Fo.test&n=%2F%2Fo.test%26", "%3Dhttp%3A%2F%2Flocalhost%3A4884&n=%2F%2Flocalhost%3A4884%26"),
        // Others.
        ("https://img.test/a", "http://img.local:4884/a"),
        ("http://plain.test http://plain.test:80/", "http://plain.local:4884 http://plain.local:4884/"),
        ("https://odd.test:8443/ http://odd.test:8443", "http://odd.local:4884/ http://odd.local:4884"),
        ("https://[2001:db8::1]/ https://[2001:DB8::1]:443", "http://six.local:4884/ http://six.local:4884"),
        // Base paths.
        ("https://gw.test/api/v1/x", "http://v1.local:4884/x"),
        ("https://gw.test/api/v1 https://gw.test/api/v1?x", "http://v1.local:4884 http://v1.local:4884?x"),
        ("https://gw.test/api/v1. https://gw.test/api/v1/", "http://v1.local:4884. http://v1.local:4884/"),
        ("https://gw.test/api/v1/a/b https://gw.test/api/v1/ab", "http://v1a.local:4884/b http://v1.local:4884/ab"),
        (#"https:\/\/gw.test\/api\/v1\/x"#, #"http:\/\/v1.local:4884\/x"#),
        ("https%3A%2F%2Fgw.test%2Fapi%2Fv1%2Fx", "http%3A%2F%2Fv1.local%3A4884%2Fx"),
    ]

    @Test(arguments: replaced)
    func `an origin's addresses become the client's`(text: String, expected: String) throws {
        let world = BodyWorld()
        #expect(try world.rewritten(text) == expected)
        #expect(try world.rewritten("<p>\(text)</p>") == "<p>\(expected)</p>" || text.hasPrefix("//"))
    }

    static let untouched = [
        "https://o.test.evil.com", "https://o.test.evil.com/", "https://o.test@evil", "https://o.test:443@evil",
        "https://o.test:8443", "https://o.test:4430/", "https://o.test:44", "https://o.test:0443", "https://o.test:x@y",
        "https://o.test:443:8",
        "https://o.test:' + port", #""https://o.test:" + port"#, "https://o.test:99999999999999999999",
        "https://xo.test", "https://x.o.test", "https://user@o.test", "https://o.test-a", "https://o.test_a",
        "https://o.test0", "https://o.testé", "https://o.test%2Eevil.com", "https://o.tes", "https://o.test./a",
        "https://o.test.:443/", "ftp://o.test", "news://o.test", "xhttps://o.test", "git+https://o.test",
        "https:/o.test",
        "https:o.test", "https:///o.test", "https:\\\\o.test", "o.test", "https://evil//o.test", "a//o.test/b",
        "x://o.test",
        "https://", "https://o.test\\u002eevil", "https://o.test\\u0040evil", "https%3A%2F%2Fo.test%2Eevil.com",
        "https%3A%2F%2Fo.test%40evil", "https%3A%2F%2Fo.test%3A99", "https%3A%2F%2Fo.test%C3%A9", "%%%2F%2Fo.test",
        "https://img.test.evil", "https://odd.test/", "https://odd.test:443/", "//odd.test/",
        "https://gw.test/", "https://gw.test", "https://gw.test/api/v12", "https://gw.test/api/v1.html",
        "https://gw.test/api", "https://gw.test/API/v1", "https://gw.test/api/v1%20", "https://2001:db8::1/",
        "https://wild.test/", "//", "/", "\\", "\\/\\/", "%2F%2F", "\\u002F\\u002F", "f%f\\f/\\/", "", "\u{0}",
    ]

    @Test(arguments: untouched)
    func `everybody else's stay byte for byte`(text: String) throws {
        let world = BodyWorld()
        #expect(try world.rewritten(text) == text)
        #expect(try world.rewritten("<p>\(text)</p>") == "<p>\(text)</p>")
    }

    @Test func `the client's scheme is written, and its label is put in front of other hosts`() throws {
        var world = BodyWorld()
        world.authority = "staging--api.local:8443"
        world.client = ClientName(isSecure: true, hostLength: 18, labelLength: 9)
        let text = "http://o.test wss://o.test ws://img.test //img.test"
        #expect(
            try world.rewritten(text) == "https://staging--api.local:8443 wss://staging--api.local:8443 "
                + "wss://staging--img.local:8443 //staging--img.local:8443")
        world.authority = "[::1]"
        world.client = ClientName(isSecure: true, hostLength: 5)
        #expect(
            try world.rewritten("http://o.test/ http://img.test/ //o.test=%2F%2Fo.test")
                == "https://[::1]/ https://img.local/ //[::1]=%2F%2F%5B%3A%3A1%5D")
    }

    @Test func `an origin on another port, and one under a base path, are told from their neighbours`() throws {
        var world = BodyWorld()
        world.own = OriginName(isTLS: false, host: "o.test", port: 8080, basePath: "/shop")
        world.others = [("root.local", OriginName(isTLS: true, host: "o.test", port: 443, basePath: ""))]
        let cases = [
            ("http://o.test:8080/shop/a", "http://localhost:4884/a"),
            ("https://o.test/shop/a", "http://root.local:4884/shop/a"),
            ("http://o.test:8080/a", "http://o.test:8080/a"), ("//o.test/", "//root.local:4884/"),
            ("//o.test:8080/shop", "//localhost:4884"),
        ]
        for (text, expected) in cases { #expect(try world.rewritten(text) == expected) }
        world.own = OriginName(isTLS: true, host: "o.test", port: 443, basePath: "")
        world.others = [("plain.local", OriginName(isTLS: false, host: "o.test", port: 80, basePath: ""))]
        #expect(
            try world.rewritten("http://o.test https://o.test //o.test")
                == "http://plain.local:4884 http://localhost:4884 //localhost:4884")
    }

    @Test func `replacements are counted`() throws {
        let run = try BodyRun(BodyWorld().rewriter())
        _ = try run.push("https://o.test/ https://evil.test/ //img.test/ ")
        #expect(run.rewriter.replacements == 2)
    }
}
