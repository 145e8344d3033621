import Profiles
import Testing

/// Trust that is disabled for a time, and what a CI with `--strict` makes of exceptions.
@Suite struct ExceptionTests {
    private static let noon: Int64 = 1_795_262_400  // 2026-11-21

    private func found(_ host: String, _ policy: String) -> [String] {
        problems(("p.json", "{kind: 'local', trust: {'\(host)': \(policy)}}"), now: Self.noon)
    }

    @Test(arguments: [
        "localhost", "api.localhost", "a.test", "a.example", "x.example.com", "example.org", "a.invalid",
        "printer.local",
        "a.b.internal", "x.alt", "nas.home.arpa", "a.lan", "a.home", "a.corp", "a.intranet", "a.private",
        "localhost.localdomain", "staging", "*.test", "*.example.net", "@loopback", "127.0.0.1", "127.9.9.9", "0.0.0.0",
        "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "100.64.0.1", "100.127.0.1",
        "192.0.2.1", "198.51.100.7", "203.0.113.9", "[::1]", "[fd00::1]", "[fc12::1]", "[fe80::1]", "[febf::1]",
        "[2001:db8::1]", "[3fff:fff::1]", "[::ffff:10.0.0.1]", "a.test:8443",
    ])
    func `hosts that are nobody else's need neither date nor reason`(host: String) {
        #expect(found(host, "'disabled'").isEmpty)
    }

    @Test(arguments: [
        "api.shop.com", "*.shop.com", "*.com", "*", "*:8443", "example.co", "notexample.com", "test.com", "xlocal.dev",
        "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "192.0.3.1", "0.0.0.1", "[2001:4860::8888]", "[fec0::1]",
        "[3fff:1000::1]", "[::ffff:8.8.8.8]", "[::2]", "134744072", "0x08080808", "8.8.2056", "a.onion",
    ])
    func `public hosts need both`(host: String) {
        for policy in ["'disabled'", "{policy: 'disabled', until: '2026-12-31'}", "{policy: 'disabled', reason: 'r'}"] {
            #expect(found(host, policy).count == 1, "\(policy)")
        }
        #expect(found(host, "{policy: 'disabled', until: '2026-12-31', reason: 'r'}").isEmpty)
        #expect(found(host, "'default'").isEmpty)
    }

    @Test(
        arguments: [
            // Day, the second that is the first after it, whether it is over at noon of 2026-11-21.
            ("2026-11-21", 1_795_305_600, false), ("2026-11-20", 0, true), ("2026-11-22", 1_795_392_000, false),
            ("2028-02-29", 1_835_481_600, false), ("2100-12-31", 4_133_980_800, false), ("1970-01-01", 0, true),
            ("1969-12-31", 0, true), ("0000-01-01", 0, true), ("9999-12-31", 253_402_300_800, false),
        ] as [(String, Int64, Bool)])
    func `the day itself still counts`(day: String, expiry: Int64, isOver: Bool) throws {
        let text =
            "{kind: 'local', routes: [{origin: 'https://a.test'}], trust: {'a.test': {policy: 'disabled', until: '\(day)'}}}"
        guard !isOver else {
            #expect(problems(("p.json", text), now: Self.noon).first?.contains("ended with \(day)") == true)
            return
        }
        let profile = try #require(try load(("p.json", text), now: Self.noon)["p"])
        guard case .origin(let address, _) = profile.routes[0].responder else { throw Missing() }
        #expect(address.trustExpiry == expiry)
        #expect(profile.trust[0].until == day)
        // To the second.
        #expect(problems(("p.json", text), now: expiry - 1).isEmpty)
        #expect(problems(("p.json", text), now: expiry).count == 1)
    }

    @Test(arguments: [
        "2027-02-29", "2100-02-29", "2027-00-10", "2027-13-01", "2027-01-00", "2027-04-31", "2027-1-1", "27-01-01",
        "2027-01-01T00:00:00Z", "+027-01-01", "-027-01-01", "2027/01/01", "tomorrow", "", "2027-01-0１",
    ])
    func `what is no day is refused`(day: String) {
        #expect(found("a.test", "{policy: 'disabled', until: '\(day)'}").count == 1)
    }

    @Test func `the reason is told with the rule`() throws {
        let rule = "{policy: 'disabled', until: '2999-01-01', reason: 'CA to come'}"
        let library = try load(("p.json", "{kind: 'local', trust: {'api.shop.com': \(rule)}}"))
        #expect(library.exceptions.map(\.reason) == ["CA to come"])
    }

    @Test func `with strict every exception is an error with its line`() throws {
        let library = try load(
            ("local.json", "{kind: 'local', extends: 'production',\n trust: {localhost: 'disabled'}}"),
            (
                "production.json",
                """
                {kind: 'production', routes: [
                  {path: '/1', origin: 'https://a.test', allow: ['POST', 'grpc']},
                  {path: '/2', origin: 'https://a.test', graphql: true},
                ]}
                """
            ),
            ("staging.json", "{kind: 'staging', routes: [{path: '/1', origin: 'https://b.test', allow: ['POST']}]}"),
            ("local.local.json", "{}"), ("mine.local.json", "{kind: 'local'}"), set: ["trust.10.0.0.1=disabled"])
        let end = "; expected no exception (--strict)"
        #expect(
            library.strictProblems.map(\.description)
                == [
                    "--set:1: certificates are not checked for 10.0.0.1",
                    "Profiles/local.json:2: certificates are not checked for localhost",
                    "Profiles/local.local.json:1: this is a personal override",
                    "Profiles/mine.local.json:1: this is a personal override",
                    "Profiles/production.json:2: the route */1 lets POST, grpc through to production",
                ].map { $0 + end })
        #expect(try load(("a.json", "{kind: 'local'}")).strictProblems.isEmpty)
    }
}
