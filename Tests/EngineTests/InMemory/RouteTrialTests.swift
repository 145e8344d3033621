import Engine
import Profiles
import TestSupport
import Testing

/// What `shunt explain` says of requests: the way of every other request, to the point where it would be sent.
@Suite struct RouteTrialTests {
    private let library: ProfileLibrary

    init() throws {
        library = try Harness.library([
            "local": """
            { kind: 'local', extends: 'staging', routes: [
              { name: 'promo', path: '/promo', mock: { text: 'mock' } }, { path: '/promo/*', mock: {} },
              { path: '/in', when: 'out', mock: { status: 401 } }, { path: '/in', when: 'in', mock: {} },
              { path: '/login', then: 'in', mock: {} },
              { host: 'shop.test', path: '/cart', match: { json: { id: 7 } }, mock: {} },
              { host: 'shop.test', path: '/chain', origin: ['https://a.test', 'profile:other'] } ] }
            """,
            "staging": "{ kind: 'staging', routes: [{ host: 'shop.test', origin: 'https://a.test' }] }",
            "other": "{ kind: 'local', routes: [{ path: '/chain', match: { json: { id: 7 } }, mock: {} }] }",
        ])
    }

    private func explained(
        _ url: String, _ headers: [(name: String, value: String)] = [], method: String = "GET", body: String = "",
        profile: String? = nil, by shunt: TriedShunt? = nil
    ) async throws -> Explanation {
        let target = try RequestTarget(parsing: url)
        let request = TriedRequest(
            method, target.url, headers: headers, body: Array(body.utf8), profile: profile)
        let shunt = if let shunt { shunt } else { try TriedShunt(library, active: "local") }
        return try #require(try await ResponseTrial.explain(target, request, by: shunt)).explanation
    }

    private func label(_ explanation: Explanation) -> String? {
        if case .withResponse(let response) = explanation.outcome { response.route.label } else { nil }
    }

    @Test(
        arguments: [
            ("https://shop.test/x", [], nil, "local", "active", nil),
            ("https://staging--shop.test/x", [], nil, "staging", "host-label", "shop.test"),
            ("https://staging--shop.test/x", [], "local", "local", "header", "shop.test"),
            ("https://shop.test/x", [("Shunt-Profile", "staging")], nil, "staging", "header", nil),
        ] as [(String, [(String, String)], String?, String, String, String?)])
    func `the profile is chosen as for every request`(
        url: String, headers: [(String, String)], profile: String?, chosen: String, reason: String, host: String?
    ) async throws {
        let explanation = try await explained(url, headers.map { ($0.0, $0.1) }, profile: profile)
        #expect(explanation.profile == chosen && explanation.chosenBy == reason)
        #expect(explanation.label?.host == host && explanation.url == url)
        #expect(label(explanation) == "shop.test/*" || label(explanation) == "shop.test")
    }

    @Test(
        arguments: [
            ("https://elsewhere.example.com/promo", nil, 421, true),
            ("https://elsewhere.example.com/nothing", nil, 421, true),
            ("https://shop.test/x", "oter", 400, false), ("https://stagign--shop.test/x", nil, 400, false),
        ] as [(String, String?, Int, Bool)])
    func `a request that is refused says why, and what would be near where that matters`(
        url: String, profile: String?, status: Int, hasNearest: Bool
    ) async throws {
        let explanation = try await explained(url, profile: profile)
        let refusal = try #require(explanation.refusal)
        #expect(refusal.status == status && refusal.advice?.isEmpty == false)
        guard case .withoutResponse(let nearest) = explanation.outcome else {
            Issue.record("something responds")
            return
        }
        #expect(nearest.isEmpty != hasNearest)
        let json = String(decoding: explanation.toJSON(), as: UTF8.self)
        #expect(json.contains(#""refused":{"status":\#(status),"reason":"#), "\(json)")
    }

    @Test func `a host that the running Shunt allows is served`() async throws {
        let shunt = try TriedShunt(library, active: "local", allowedHosts: [ClientHostPattern("elsewhere.example.com")])
        #expect(label(try await explained("https://elsewhere.example.com/promo", by: shunt)) == "*/promo")
    }

    @Test func `mocks that are off and states of scenarios count`() async throws {
        let profile = try #require(library["local"])
        let promo = try #require(profile.routes.firstIndex { $0.name == "promo" })
        let shunt = try TriedShunt(
            library, active: "local", live: ["local": LiveProfile(off: [promo], states: ["": "in"])])
        #expect(label(try await explained("http://localhost/promo", by: shunt)) == "*/promo/*")
        #expect(label(try await explained("http://localhost/promo")) == "*/promo")
        for (shunt, status) in [(shunt, 200), (try TriedShunt(library, active: "local"), 401)] {
            guard case .withResponse(let response) = try await explained("http://localhost/in", by: shunt).outcome,
                case .local(let mock as Mock) = response.route.responder
            else {
                Issue.record("no mock responds")
                continue
            }
            #expect(mock.responses[0].status == status)
        }
    }

    @Test func `a device has its profile`() async throws {
        let shunt = try TriedShunt(library, active: "local")
        let own = try await explained("https://shop.test/promo", by: shunt.serving("phone", profile: "staging"))
        #expect(own.profile == "staging" && own.chosenBy == "address")
        let follower = try await explained("https://shop.test/promo", by: shunt.serving("phone", profile: nil))
        #expect(follower.profile == "local" && follower.chosenBy == "active")
    }

    @Test(arguments: [(#"{"id": 7}"#, true), (#"{"id": 8}"#, false)])
    func `bodies are read for conditions, also of a profile that a chain asks`(body: String, fits: Bool) async throws {
        let cart = try await explained("https://shop.test/cart", method: "POST", body: body)
        #expect((label(cart) == "shop.test/cart") == fits)
        let chain = try await explained("https://shop.test/chain", method: "POST", body: body)
        guard case .withResponse(let response) = chain.outcome,
            case .profile("other", let inner) = response.candidates[1]
        else {
            Issue.record("\(chain.outcome)")
            return
        }
        #expect(inner?.route.label == (fits ? "*/chain" : nil))
    }

    @Test func `what needs no route says who responds`() async throws {
        let explanation = try await explained("https://shop.test/x", [("Max-Forwards", "0")], method: "OPTIONS")
        guard case .withoutRoute(let words) = explanation.outcome else {
            Issue.record("\(explanation.outcome)")
            return
        }
        #expect(words.contains("Max-Forwards"))
        #expect(String(decoding: explanation.toJSON(), as: UTF8.self).contains(#""withoutRoute":"Shunt itself"#))
    }

    @Test(arguments: ["A B", ""])
    func `what is no request is not explained`(method: String) async throws {
        let target = try RequestTarget(parsing: "https://shop.test/x")
        let request = TriedRequest(method, target.url, headers: [])
        let result = try await ResponseTrial.explain(target, request, by: try TriedShunt(library, active: "local"))
        #expect(result == nil)
    }
}
