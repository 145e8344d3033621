import Profiles
import Testing

@Suite struct HostPatternTests {
    @Test(
        arguments: [
            // Pattern, request's host, port, whether they match.
            ("api.shop.test", "api.shop.test", 443, true), ("api.shop.test", "API.Shop.Test", 443, true),
            ("API.shop.test.", "api.shop.test", 443, true), ("api.shop.test", "api.shop.test.", 443, true),
            ("api.shop.test", "xapi.shop.test", 443, false), ("api.shop.test", "api.shop.tes", 443, false),
            ("*.shop.test", "a.shop.test", 443, true), ("*.shop.test", "b.a.SHOP.test", 443, true),
            ("*.shop.test", "shop.test", 443, false), ("*.shop.test", "xshop.test", 443, false),
            ("*.shop.test", ".shop.test", 443, true), ("*", "anything", 443, true), ("*", "", nil, true),
            ("api.shop.test", "", nil, false), ("api.shop.test:8443", "api.shop.test", 8443, true),
            ("api.shop.test:8443", "api.shop.test", 443, false), ("api.shop.test:8443", "api.shop.test", nil, false),
            ("*.shop.test:81", "a.shop.test", 81, true), ("*:81", "x", 81, true), ("*:81", "x", 82, false),
            ("[::1]", "[::1]", 443, true), ("::1", "[0:0:0:0:0:0:0:1]", 443, true), ("[::1]:3000", "::1", 3000, true),
            ("[2001:DB8::A]", "[2001:db8:0:0::a]", 443, true), ("::1", "[::2]", 443, false), ("::1", "[", 443, false),
            ("::ffff:127.0.0.1", "[::ffff:7f00:1]", 443, true), ("127.0.0.1", "127.0.0.1", 443, true),
            ("bücher.example", "xn--bcher-kva.example", 443, true),
            ("BÜCHER.example", "XN--BCHER-KVA.example", 443, true),
            ("my_host.test", "my_host.test", 443, true),
        ] as [(String, String, UInt16?, Bool)])
    func `a pattern covers its hosts`(pattern: String, host: String, port: UInt16?, matches: Bool) throws {
        let profile = try profile(routes: ["host: '\(pattern)'"])
        #expect((profile.label(host, port: port) != nil) == matches)
    }

    @Test(arguments: ["10.0.0.0/8", "10.1.2.3/8", "[fd00::]/8", "::1/128"])
    func `a network is no host of a route, and the message says where networks stand`(network: String) throws {
        let told = problems(("a.json", "{ kind: 'local', routes: [{ host: '\(network)', mock: {} }] }"))
        #expect(told.count == 1)
        #expect(
            told.first?.hasSuffix(
                "the host \"\(network)\" is a network of addresses; expected a host (api.shop.test), `*.shop.test` or `*`, with "
                    + "or without a port; networks are for trust rules only, since clients name one host in each request"
            )
                == true, "\(told)")
    }

    @Test func `a host that is longer than any name meets only the pattern for all`() throws {
        let name = String(repeating: "a.", count: 300) + "shop.test"
        #expect(try profile(routes: ["host: '*.shop.test'"]).label(name) == nil)
        #expect(try profile(routes: [""]).label(name) == "*")
    }

    @Test(
        arguments: [
            // RFC 3492, section 7.1, and names one meets.
            ("bücher", "xn--bcher-kva"), ("münchen", "xn--mnchen-3ya"), ("ليهمابتكلموشعربي؟", nil),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("日本語", "xn--wgv71a119e"), ("straße", "xn--strae-oqa"),
            ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"), ("ü", "xn--tda"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("bu\u{308}cher", nil), ("a b", nil),
            ("xn--bcher-kva", "xn--bcher-kva"),
            (String(repeating: "ü", count: 64), nil), (String(repeating: "𐍈", count: 63), nil),
        ] as [(String, String?)])
    func `labels beyond ASCII are encoded as IDNA does`(label: String, encoded: String?) throws {
        guard let encoded else {
            #expect(throws: ProfileProblems.self) { try profile(routes: ["host: '\(label).example'"]) }
            return
        }
        #expect(try profile(routes: ["host: '\(label).example'"]).routes[0].label == "\(encoded).example/*")
    }

    @Test(arguments: [
        "", ".", "a..b", "api.*.test", "*api.test", "*.", "*.*.test", "https://a.test", "a.test/x", "a.test:",
        "a.test:0",
        "a.test:65536", "a.test:x", "[::1", "[::1]x", "[::g]", "1:2:3", ":::", "::1%eth0", "1::2::3",
        "1:2:3:4:5:6:7:8:9",
        "*.0.0.1", "*.::1", "a b.test", "ex%41mple.test", "@loopback", "@x", "a@b",
    ])
    func `what is no pattern is refused`(pattern: String) {
        #expect(throws: ProfileProblems.self) { try profile(routes: ["host: '\(pattern)'"]) }
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("a.localhost", true), ("127.0.0.1", true), ("127.255.3.4", true),
        ("[::1]", true), ("128.0.0.1", false), ("127.0.0.1.example", false), ("notlocalhost", false), ("[::2]", false),
        ("127.1", false), ("127.00.0.1", false),
    ])
    func `@loopback is this machine and nothing else`(host: String, isLoopback: Bool) throws {
        let library = try load(
            ("p.json", "{kind: 'local', routes: [{origin: 'https://\(host):3000'}], trust: {'@loopback': 'disabled'}}"))
        guard case .origin(let address, _)? = library["p"]?.routes[0].responder else { throw Missing() }
        #expect(address.trust == (isLoopback ? .disabled : .default(certificateAuthorities: [])))
    }
}
