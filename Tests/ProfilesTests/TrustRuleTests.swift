import Profiles
import Testing

/// Alamofire's rules for finding an evaluator, with the differences that are documented.
@Suite struct TrustRuleTests {
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// The name of the policy that an origin gets.
    private func policy(_ origin: String, _ trust: String, more: String = "") throws -> String {
        let library = try load(
            ("p.json", "{kind: 'local', routes: [{origin: '\(origin)'}], trust: {\(trust)} \(more)}"))
        guard case .origin(let address, _)? = library["p"]?.routes[0].responder else { throw Missing() }
        return address.trust.name
    }

    @Test(
        arguments: [
            // As in Alamofire: exact, and localhost is not 127.0.0.1.
            ("https://localhost", "localhost: 'disabled'", "disabled"),
            ("https://127.0.0.1", "localhost: 'disabled'", "default"),
            ("https://a.test", "'b.test': 'disabled'", "default"),
            // Deliberately different: wildcards, case, ports, @loopback, ranges.
            ("https://a.test", "'*.test': 'disabled'", "disabled"),
            ("https://A.test.", "'a.TEST': 'disabled'", "disabled"),
            ("https://a.test:1", "'a.test:1': 'disabled'", "disabled"),
            ("https://a.test:2", "'a.test:1': 'disabled'", "default"),
            ("https://[::1]", "'@loopback': 'disabled'", "disabled"),
            ("https://10.1.2.3", "'10.0.0.0/8': 'disabled'", "disabled"),
            ("https://11.1.2.3", "'10.0.0.0/8': 'disabled'", "default"),
            ("https://10.1.2.3:8443", "'10.0.0.0/8:8443': 'disabled'", "disabled"),
            ("https://10.1.2.3", "'10.0.0.0/8:8443': 'disabled'", "default"),
            ("https://10.255.255.255", "'10.0.0.0/8': 'disabled'", "disabled"),
            ("https://[fd12::7]", "'fd00::/8': 'disabled'", "disabled"),
            ("https://[fd12::7]:1", "'[fd00::]/8:1': 'disabled'", "disabled"),
            ("https://[fe80::7]", "'fd00::/8': 'disabled'", "default"),
            ("https://[::ffff:10.0.0.1]", "'10.0.0.0/8': 'disabled'", "disabled"),
            // Names are not looked up: they are in no range.
            ("https://ten.test", "'10.0.0.0/8': 'disabled'", "default"),
            // The most specific rule wins.
            ("https://10.1.2.3", "'10.0.0.0/8': 'disabled', '10.1.0.0/16': 'default'", "default"),
            ("https://10.1.2.3", "'10.1.0.0/16': 'disabled', '10.0.0.0/8': 'default'", "disabled"),
            ("https://10.1.2.3", "'10.1.2.3': 'default', '10.1.2.3/32': 'disabled'", "default"),
            ("https://127.0.0.1", "'@loopback': 'default', '127.0.0.0/16': 'disabled'", "disabled"),
            (
                "https://127.0.0.1",
                "'@loopback': 'default', '0.0.0.0/0': {policy: 'disabled', until: '2999-01-01', reason: 'r'}", "default"
            ),
            ("https://10.1.2.3", "'@loopback': 'disabled', '10.0.0.0/8': 'default'", "default"),
        ] as [(String, String, String)])
    func `line 1: a rule is found by host, port, suffix and range`(origin: String, trust: String, name: String) throws {
        #expect(try policy(origin, trust) == name)
    }

    @Test(arguments: [
        #""default""#, #"{ "policy": "default", "validateHost": false }"#, #""revocation""#, #""disabled""#,
        #"{ "policy": "revocation", "options": ["crl", "preferCRL", "requirePositiveResponse"], "validateHost": false }"#,
        #"{ "policy": "revocation", "options": ["ocsp", "networkAccessDisabled"], "performDefaultValidation": false }"#,
        #"{ "policy": "publicKeys", "keys": ["\#(pin)"], "minTLS": "1.3", "ciphers": ["TLS_AES_128_GCM_SHA256"], "strict": true }"#,
        #"{ "policy": "composite", "evaluators": ["revocation", { "policy": "publicKeys", "keys": ["\#(pin)"], "performDefaultValidation": false, "validateHost": false }, "disabled"] }"#,
    ])
    func `a policy is written as the rule that it was read from`(rule: String) throws {
        let library = try load(
            ("p.json", "{kind: 'local', routes: [{origin: 'https://a.test'}], trust: {'a.test': \(rule)}}"))
        guard case .origin(let address, _)? = library["p"]?.routes[0].responder else { throw Missing() }
        #expect(address.trust.ruleText(for: "a.test", because: "why") == rule)
    }

    @Test func `an exception for a public host is written with its end and its reason`() throws {
        let library = try load(("p.json", "{kind: 'local', routes: [{origin: 'https://a.test'}]}"))
        guard case .origin(let address, _)? = library["p"]?.routes[0].responder else { throw Missing() }
        let rule = address.trust.with(.disabled).ruleText(for: "shop.example.org.uk", because: "it \"is\" new")
        #expect(rule.hasSuffix(#", "reason": "it \"is\" new" }"#), "\(rule)")
        _ = try load(("p.json", "{kind: 'local', trust: {'shop.example.org.uk': \(rule)}}"))
    }

    @Test func `line 2: with allHostsMustBeEvaluated an origin without a rule is refused`() throws {
        func found(_ text: String) -> [String] {
            problems(
                ("base.json", "{kind: 'local', routes: [{origin: 'https://a.test'}]}"),
                ("p.json", "{kind: 'local', extends: 'base', \(text)}"))
        }
        let missing =
            "Profiles/base.json:1:26: no trust rule is for a.test, and \"allHostsMustBeEvaluated\" is true; expected a "
            + "rule like \"trust\": { \"a.test\": \"default\" }"
        #expect(found("allHostsMustBeEvaluated: true") == [missing])
        #expect(found("allHostsMustBeEvaluated: true, trust: {'*.test': 'default'}").isEmpty)
        #expect(found("allHostsMustBeEvaluated: true, routes: [{path: '/x', origin: 'http://b.test'}]") == [missing])
        #expect(found("allHostsMustBeEvaluated: false").isEmpty && found("").isEmpty)
        #expect(found("allHostsMustBeEvaluated: 'yes'").count == 1)
        // Inherited, and the nearest one decides.
        let base = "{kind: 'local', allHostsMustBeEvaluated: true}"
        for (own, count) in [("", 1), ("allHostsMustBeEvaluated: false, ", 0)] {
            let text =
                "{kind: 'local', extends: 'base', \(own)routes: [{origin: ['https://a.test', 'https://b.test']}]}"
            let both = own.isEmpty ? count * 2 : 0
            #expect(problems(("base.json", base), ("p.json", text)).count == both)
        }
    }

    @Test func `line 9: an empty composite is an error, though Alamofire lets it pass`() {
        for (trust, part) in [
            ("{policy: 'composite', evaluators: []}", "\"evaluators\" of the policy \"composite\" is empty"),
            ("{policy: 'composite'}", "the policy \"composite\" without \"evaluators\""),
            ("'composite'", "the policy \"composite\" without \"evaluators\""),
            ("{policy: 'composite', evaluators: [{policy: 'composite', evaluators: []}]}", "is empty"),
            ("{policy: 'publicKeys', keys: []}", "\"keys\" of the policy \"publicKeys\" is empty"),
            ("{policy: 'pinnedCertificates', certificates: []}", "is empty"), ("'publicKeys'", "without \"keys\""),
        ] {
            let found = problems(("p.json", "{kind: 'local', trust: {'a.test': \(trust)}}"))
            #expect(found.count == 1 && found.first?.contains(part) == true, "\(trust): \(found)")
        }
    }

    /// What checks no host counts like `disabled`, in whatever words.
    @Test(
        arguments: [
            ("'disabled'", true), ("{policy: 'default', validateHost: false}", true),
            ("{policy: 'revocation', validateHost: false}", true),
            ("{policy: 'publicKeys', keys: ['\(pin)'], validateHost: false}", true),
            ("{policy: 'composite', evaluators: ['disabled']}", true),
            ("{policy: 'composite', evaluators: ['disabled', {policy: 'default', validateHost: false}]}", true),
            ("{policy: 'composite', evaluators: [{policy: 'composite', evaluators: ['disabled']}]}", true),
            ("'default'", false), ("{policy: 'default', validateHost: true}", false), ("'revocation'", false),
            ("{policy: 'publicKeys', keys: ['\(pin)']}", false),
            ("{policy: 'publicKeys', keys: ['\(pin)'], performDefaultValidation: false}", false),
            ("{policy: 'composite', evaluators: ['disabled', 'default']}", false),
        ] as [(String, Bool)])
    func `what verifies nothing is kept from production and from public hosts`(trust: String, isUnverified: Bool) throws
    {
        let origin = "routes: [{origin: 'https://a.test'}]"
        let rule = "trust: {'a.test': \(trust)}"
        let count = isUnverified ? 1 : 0
        // In production itself; elsewhere, for an origin of production; and through a fallback.
        #expect(problems(("p.json", "{kind: 'production', \(rule)}")).count == count)
        #expect(
            problems(
                ("p.json", "{kind: 'production', \(origin)}"), ("l.json", "{kind: 'local', \(origin), \(rule)}")
            ).count == count)
        #expect(
            problems(
                ("p.json", "{kind: 'production', routes: [{origin: ['https://b.test', 'profile:l']}]}"),
                ("l.json", "{kind: 'local', \(origin), \(rule)}")
            ).count == count)
        // For a public host without a date; where it has one, and is listed.
        #expect(problems(("p.json", "{kind: 'local', trust: {'a.shop.com': \(trust)}}")).count == count)
        let library = try load(("p.json", "{kind: 'local', \(origin), \(rule)}"))
        #expect(library.exceptions.count == count && library.strictProblems.count == count)
        #expect(library["p"]?.routes[0].isUnverified == isUnverified)
        let name = try #require(library["p"]?.trust.first?.policy.name)
        #expect((name == "disabled" || name.hasSuffix("-unverified")) == isUnverified)
    }

    @Test(
        arguments: [
            ("10.0.0.0/33", "\"/33\" behind the address 10.0.0.0"), ("10.0.0.1/8", "write 10.0.0.0/8"),
            ("10.0.0.0/", "\"/\" behind"), ("10.0.0.0/+8", "\"/+8\""), ("fd00::1/8", "write fd00::/8"),
            ("fd00::/129", "a number up to 128"), ("a.test/8", "has a path"), ("10.0.0.0/8:0", "is no port"),
            ("0.0.0.0/0", "which is public"), ("0.0.0.0/1", "which is public"), ("10.0.0.0/7", "which is public"),
            ("::/0", "which is public"), ("fc00::/6", "which is public"), ("8.8.8.0/24", "which is public"),
            ("fd00::/8", nil), ("fc00::/7", nil), ("10.0.0.0/8", nil), ("192.168.0.0/16", nil), ("172.16.0.0/12", nil),
        ] as [(String, String?)])
    func `ranges are read strictly, and those with public addresses need a date`(range: String, part: String?) {
        let found = problems(("p.json", "{kind: 'local', trust: {'\(range)': 'disabled'}}"))
        #expect(found.count == (part == nil ? 0 : 1), "\(found)")
        if let part { #expect(found.first?.contains(part) == true, "\(found)") }
        #expect(!problems(("p.json", "{kind: 'local', routes: [{host: '\(range)', mock: {}}]}")).isEmpty)
    }

    @Test func `a table of a thousand rules is read in no time, and costs nothing once it is read`() throws {
        let rules = (0..<1000).map { "'h\($0).test': {policy: 'publicKeys', keys: ['\(Self.pin)']}" }
        #expect(try policy("https://h999.test", rules.joined(separator: ",")) == "publicKeys")
    }
}
