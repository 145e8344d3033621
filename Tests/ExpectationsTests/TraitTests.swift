import Foundation
import ShuntTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private let profiles = [
    "local": """
    { kind: "local", routes: [
      { host: "api.shop.test", path: "/v1/cart", mock: { status: 201, json: { items: 2 } } },
      { host: "api.shop.test", path: "/v1/slow", mock: { status: 503, text: "busy" } },
    ] }
    """,
    "staging": #"{ kind: "staging", routes: [{ host: "api.shop.test", mock: { text: "staging" } }] }"#,
]

private func request(_ method: String, _ path: String, _ body: String = "") async throws -> String {
    let address = try Shunt.current.url(for: "api.shop.test") + path
    var request = URLRequest(url: try #require(URL(string: address)))
    request.httpMethod = method
    if !body.isEmpty { request.httpBody = Data(body.utf8) }
    return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
}

@Suite(.shunt(texts: profiles)) struct TraitTests {
    @Test func `a test has an engine of its own and sees its own traffic`() async throws {
        #expect(try await request("POST", "/v1/cart?x=1", "{}") == #"{"items":2}"#)
        _ = try await request("GET", "/v1/slow")
        let traffic = try await Shunt.current.traffic
        #expect(traffic.count == 2)
        #expect(traffic.contains(.post("/v1/cart").status(201).host("api.shop.test")))
        #expect(!traffic.contains(.post("/v1/cart").status(200)))
        #expect(!traffic.contains(.post("/v1")) && !traffic.contains(.get("/v1/cart")))
        #expect(try traffic.filter("~m POST").filter("~c 201").count == 1)
        try traffic.expect("~c 5xx: 1")
        try traffic.expect(.get("/v1/slow").status(503))
    }

    @Test(arguments: 0..<30) func `engines side by side share nothing`(number: Int) async throws {
        _ = try await request("GET", "/v1/cart?number=\(number)")
        let traffic = try await Shunt.current.traffic
        #expect(traffic.exchanges.map(\.url) == ["http://api.shop.test/v1/cart?number=\(number)"])
    }

    @Test func `profiles are switched and mocks set in code`() async throws {
        try await Shunt.current.use("staging")
        #expect(try await request("GET", "/v1/cart") == "staging")
        try await Shunt.current.mock("api.shop.test/v1/cart", #"{ text: "first" }"#)
        try await Shunt.current.mock("api.shop.test/v1/other", #"{ status: 404, text: "other" }"#)
        #expect(try await request("GET", "/v1/cart") == "first")
        #expect(try await request("GET", "/v1/other") == "other")
        #expect(try await request("GET", "/v1/more") == "staging")
    }

    @Test func `what is missing is shown with what came nearest`() async throws {
        _ = try await request("POST", "/v1/cart")
        let traffic = try await Shunt.current.traffic
        try withKnownIssue {
            try traffic.expect(.post("/v1/cart").status(200))
        } matching: { issue in
            "\(issue)".contains("nearest   #1 POST http://api.shop.test/v1/cart 201: the status is 201, not ~c 200")
        }
        #expect(traffic.testDescription == "1 exchange\n  POST http://api.shop.test/v1/cart 201")
        #expect(throws: ShuntFailure.self) { try traffic.expect("~nope: 0") }
        #expect(throws: ShuntFailure.self) { try Shunt.current.url(for: "other.test") }
    }
}

@Suite struct TraitStartTests {
    @Test(.shunt(texts: profiles)) func `a single test may have one, too`() async throws {
        #expect(try await request("GET", "/v1/slow") == "busy")
    }

    @Test func `a profile that is missing is named`() async {
        await #expect(throws: ShuntFailure.self) {
            try await ShuntTrait.shunt(profile: "nope", texts: profiles).provideScope(
                for: try #require(Test.current), testCase: nil
            ) {}
        }
    }
}
