import Profiles
import Testing

/// Files that are one person's, and what one run is given.
@Suite struct OverrideTests {
    private static let staging = (
        "staging.json",
        """
        {kind: 'staging', description: 'shared', cookieJar: true, trust: {'a.test': 'default', 'b.test': 'disabled'}, routes: [
          {path: '/a/*', origin: 'https://a.test'}, {path: '/b', origin: 'https://b.test'}]}
        """
    )

    @Test func `an override is asked before the file that it is laid over`() throws {
        let library = try load(
            Self.staging,
            (
                "staging.local.json5",
                "{description: 'mine', cookieJar: 'mine', trust: {'*.test': 'disabled'}, routes: [{origin: 'https://c.test'}]}"
            ),
            ("local.json", "{kind: 'local', extends: 'staging', routes: [{path: '/l', mock: {}}]}"))
        let staging = try #require(library["staging"])
        #expect(staging.label("any", "/a/x") == "*")
        #expect(staging.levels == ["staging"])
        #expect(staging.description == "mine" && staging.cookieJar == "mine")
        #expect(staging.file == "Profiles/staging.json")
        #expect(staging.routes.map(\.file).first == "Profiles/staging.local.json5")
        #expect(staging.routes.allSatisfy { $0.profile == "staging" && $0.kind == .staging })
        // Its rules come first, too.
        let trust = staging.routes.compactMap { route -> String? in
            if case .origin(let address, _) = route.responder { address.trust.name } else { nil }
        }
        #expect(trust == ["disabled", "disabled", "disabled"])
        // Who extends the profile gets it with what is laid over it.
        let local = try #require(library["local"])
        #expect(local.label("any", "/l") == "*/l" && local.label("any", "/b") == "*")
        #expect(local.levels == ["local", "staging"] && local.cookieJar == "mine")
        #expect(
            library.overrides.map { "\($0.profile) \($0.file) \($0.isLaidOver)" } == [
                "staging Profiles/staging.local.json5 true"
            ])
        #expect(library.files.contains("Profiles/staging.local.json5"))
    }

    @Test func `what an override leaves away stays`() throws {
        let library = try load(Self.staging, ("staging.local.json", "{kind: 'staging'}"))
        #expect(library["staging"]?.description == "shared" && library["staging"]?.cookieJar == "staging")
        #expect(library["staging"]?.label("any", "/b") == "*/b")
    }

    @Test func `authorities of both are trusted`() throws {
        try inDirectory { directory in
            for name in ["a.pem", "b.pem"] { try write("ca", directory + "/" + name) }
            try write("{kind: 'local', certificateAuthorities: ['a.pem']}", directory + "/p.json")
            try write("{certificateAuthorities: ['b.pem']}", directory + "/p.local.json")
            let library = try ProfileLibrary.load(directory: directory)
            #expect(
                library["p"]?.trustWithoutRule
                    == .default(certificateAuthorities: [directory + "/b.pem", directory + "/a.pem"]))
        }
    }

    @Test func `an override of nothing is a profile of its own`() throws {
        let library = try load(
            ("mine.local.json", "{kind: 'local', extends: 'staging', routes: [{mock: {}}]}"), Self.staging)
        #expect(library.profiles.map(\.name) == ["mine", "staging"])
        #expect(library["mine"]?.levels == ["mine", "staging"])
        #expect(library.overrides.map(\.isLaidOver) == [false])
        // The profile `local` has nothing personal about it.
        #expect(try load(("local.json", "{kind: 'local'}")).overrides.isEmpty)
    }

    @Test(
        arguments: [
            ("routes.api.test/v1/*=https://x.test", "api.test/v1/*", "https://x.test"),
            ("routes.api.test:8443=http://x.test", "api.test:8443/*", "http://x.test"),
            ("routes./v1=https://x.test/base", "*/v1", "https://x.test/base"),
            ("routes.*=https://x.test", "*", "https://x.test"),
            ("routes.*.api.test/a=b/*=https://x.test/c=d", "*.api.test/a=b/*", "https://x.test/c=d"),
            ("routes.api.test=profile:other", "api.test/*", "profile other"),
            ("routes.api.test={mock:{status:503}}", "api.test/*", "503"),
            ("routes.api.test={mock:{text:'a=https://x'}, method:'POST'}", "POST api.test/*", "200"),
            ("routes.api.test= {origin: 'https://x.test'}", "api.test/*", "https://x.test"),
            ("routes.api.test=['https://x.test','profile:other']", "api.test/*", "https://x.test profile other"),
        ])
    func `one run can have another route`(text: String, label: String, response: String) throws {
        let library = try load(
            ("p.json", "{kind: 'local', routes: [{mock: {}}]}"), ("p.local.json", "{routes: [{mock: {}}]}"),
            ("other.json", "{kind: 'staging'}"), set: [text])
        let profile = try #require(library["p"])
        let route = profile.routes[0]
        #expect(route.label == label && route.file == "--set" && route.line == 1 && route.profile == "p")
        let found =
            switch route.responder {
            case .origin(let address, _): address.description
            case .local(let local as Mock): "\(local.responses[0].status)"
            case .local(let local): local.summary
            case .chain(let chain):
                chain.candidates.map { candidate in
                    switch candidate {
                    case .origin(let address): address.description
                    case .profile(let name): "profile \(name)"
                    }
                }.joined(separator: " ")
            }
        #expect(found == response)
        // The shared file and the override are still there behind it.
        #expect(profile.routes.map(\.file).dropFirst() == ["Profiles/p.local.json", "Profiles/p.json"])
        #expect(library["other"]?.routes.isEmpty == true)
        #expect(library.files == ["Profiles/p.json", "Profiles/p.local.json", "Profiles/other.json"])
    }

    @Test func `one run can have other trust`() throws {
        let library = try load(
            ("p.json", "{kind: 'local', routes: [{origin: 'https://localhost'}], trust: {localhost: 'default'}}"),
            set: ["trust.localhost={policy: 'disabled', reason: 'a=b'}", "routes./x=https://localhost"])
        #expect(
            library.exceptions.map { "\($0.pattern) \($0.file) \($0.line) \($0.reason ?? "")" } == [
                "localhost --set 1 a=b"
            ])
        #expect(library["p"]?.routes.map(\.line) == [2, 1])
    }

    @Test(arguments: [
        ("x=1", ":1: \"x\" cannot be set"), ("route.a=https://b", "did you mean \"routes\"?"),
        ("routes.api.test", ":1: there is no `=`"), ("routes.=https://a", ":8: the route has no pattern"),
        ("routes.a.test=localhost:3000", ":15: the origin \"localhost:3000\" has no scheme"),
        ("routes.a.test/x*=https://a", ":14: `*` within a segment"),
        ("routes.a.test={mock:{stauts:1}}", ":22: unknown key \"stauts\""),
        ("routes.é.test={mock:", ":21: the end of the text"),
        ("routes.a.test={host:'b',mock:{}}", ":16: \"host\" within the response"),
        ("routes.a.test=profile:nope", ":15: there is no profile \"nope\" to ask"),
        ("routes.a.test=profile:p", "in a circle: p -> p"),
        ("trust.localhost=off", ":17: unknown policy \"off\""), ("trust.shop.com=disabled", ":16: the policy"),
        ("trust.a.test={policy:'disabled',certificateAuthorities:['no.pem']}", ":33: authorities beside"),
        ("", "cannot be set"), ("=", "cannot be set"),
    ])
    func `what cannot be set is told with its column`(text: String, expected: String) {
        let found = problems(("p.json", "{kind: 'local'}"), set: ["routes./1=https://a", text])
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("--set:2:") })
        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test func `two that match the same requests are told apart`() {
        let found = problems(("p.json", "{kind: 'local'}"), set: ["routes./1=https://a", "routes./1=https://b"])
        #expect(
            found.count == 1
                && found[0].contains("--set:2:8: the route */1 matches the same requests as the one on line 1"))
    }

    @Test func `production keeps its guard, and a profile that is gone is told`() throws {
        let files = [(path: "Profiles/production.json", bytes: Array("{kind: 'production'}".utf8))]
        for (name, text) in [("production", "trust.localhost=disabled"), ("gone", "routes./=https://a")] {
            #expect(throws: ProfileProblems.self) {
                try ProfileLibrary.load(files: files, settings: RunSettings(profile: name, texts: [text]))
            }
        }
    }

    @Test func `no text makes setting crash`() {
        let seeds = [
            "routes.api.test:8443/v1/*={mock:{text:'a=https://x'}}",
            "trust.localhost={policy:'disabled',until:'2999-01-01'}",
            "routes.a=['https://x','profile:p']",
        ]
        let pieces = [
            "=", "{", "[", "'", ".", "/", "*", "é", "\u{301}", "\n", "://", "profile:", "", "\0", "routes.", "}",
        ]
        for round in 0..<600 {
            var characters = Array(seeds[round % seeds.count])
            for _ in 0..<Int.random(in: 1...5) {
                let at = Int.random(in: 0...characters.count)
                characters.removeSubrange(at..<min(characters.count, at + Int.random(in: 0...6)))
                characters.insert(contentsOf: pieces.randomElement() ?? "", at: at)
            }
            let text = String(characters)
            for problem in problems(("p.json", "{kind: 'local'}"), set: [text]) {
                #expect(problem.hasPrefix("--set:1:"), "\(text): \(problem)")
            }
        }
    }
}
