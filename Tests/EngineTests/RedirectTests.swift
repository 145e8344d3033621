import TestSupport
import Testing

/// Routes that send clients elsewhere.
@Suite struct RedirectTests {
    @Test(arguments: ClientKind.allCases, [("GET", 0), ("HEAD", 0), ("POST", 5)])
    func `a route redirects, with a body or without`(
        client: ClientKind, request: (method: String, length: Int)
    ) async throws {
        let routes = #"[{"redirect": "https://www.shop.test/summer?a=%20", "status": 307}]"#
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": \#(routes)}"#], active: "only")
        let port = harness.port
        let seen = try await blocking {
            try client.ask(
                port, request.method, "/promo", body: String(repeating: "x", count: request.length), hasLength: true)
        }
        await harness.stop()
        #expect(seen.status.hasSuffix(" 307") && seen.body.isEmpty)
        let fields = seen.fields.map { $0.lowercased() }
        #expect(fields.contains("location: https://www.shop.test/summer?a=%20"))
        #expect(fields.contains(#"shunt-answered-by: only; route="*"; redirect"#))
    }
}
