import Foundation
import ShuntTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each test has a Shunt of its own, with the profiles of the folder above.
@Suite(.shunt(profile: "local")) struct CheckoutTests {
    private func post(_ path: String) async throws -> (status: Int, body: String) {
        let url = try #require(URL(string: try Shunt.current.url(for: "api.shop.test") + path))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let (body, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: body, as: UTF8.self))
    }

    @Test func `the cart is made once`() async throws {
        #expect(try await post("/v1/cart").status == 201)
        let traffic = try await Shunt.current.traffic
        #expect(traffic.contains(.post("/v1/cart").status(201)))
        #expect(try traffic.filter("~m POST").count == 1)
        try traffic.expect("~c 5xx: 0")
    }

    @Test func `a busy server is not asked again`() async throws {
        try await Shunt.current.mock("api.shop.test/v1/cart", #"{ status: 503, text: "busy" }"#)
        #expect(try await post("/v1/cart").body == "busy")
        try await Shunt.current.traffic.expect("~u /v1/cart: 1")
    }
}
