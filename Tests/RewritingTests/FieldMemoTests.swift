import Rewriting
import Testing

/// What rules remember of one field is for fields that are equal, and for clients of the same name.
@Suite struct FieldMemoTests {
    private static let origin = "https://api.staging.shop.example m.shop.test=https://m.example:8443"
    private static let clients = [
        "http://api.shop.test:4884", "http://api.shop.test:4885", "https://api.shop.test:4884", "http://api.shop.test",
        "http://staging--api.shop.test:4884", "http://testing--api.shop.test:4884", "https://localhost:4884",
    ].map { Ends(origin, $0) }
    private static let lines =
        [
            "Content-Security-Policy: img-src https://api.staging.shop.example https://m.example:8443; report-uri /r",
            "Content-Security-Policy: img-src https://api.staging.shop.example https://x.example:8443; report-uri /r",
            "content-security-policy: img-src https://api.staging.shop.example https://m.example:8443; report-uri /r \t",
            "Content-Security-Policy: img-src 'self'",
            "Content-Security-Policy: report-uri /r",
            "Content-Security-Policy: upgrade-insecure-requests",
            "Content-Security-Policy:",
            "Content-Security-Policy-Report-Only: img-src https://api.staging.shop.example; report-uri /r",
            "Content-Security-Policy-Report-Only: report-uri /r",
            "Link: <https://api.staging.shop.example/a>; rel=preload, <https://m.example:8443/b>; rel=preload",
            "Link: <https://api.staging.shop.example/a>; rel=preload, <https://x.example:8443/b>; rel=preload",
            "Link: </a>; rel=preload",
            "Link: <https://api.staging.shop.example/" + String(repeating: "a", count: 9000) + ">",
        ].map { Array($0.utf8) }

    /// Each with each behind it, and again, so that nothing that is remembered passes for another.
    @Test(arguments: clients.indices) func `what is remembered is what would be found out`(index: Int) throws {
        let client = Self.clients[index]
        let rules = client.rules
        for first in Self.lines {
            for second in Self.lines {
                for line in [first, second, second] {
                    let fresh = try client.rules.response(once: line, client)
                    #expect(try rules.response(once: line, client) == fresh)
                }
            }
        }
    }

    @Test func `nothing is remembered for clients that name Shunt in another way`() throws {
        let rules = Self.clients[0].rules
        for line in Self.lines {
            for first in Self.clients {
                for second in Self.clients {
                    for client in [first, second, second] {
                        let fresh = try client.rules.response(once: line, client)
                        #expect(try rules.response(once: line, client) == fresh)
                    }
                }
            }
        }
    }

    @Test func `rules remember for themselves alone`() throws {
        let client = Self.clients[0]
        let (rules, others) = (client.rules, client.rules { $0.removesPins = false })
        for line in Self.lines {
            _ = try rules.response(once: line, client)
            let fresh = try client.rules { $0.removesPins = false }.response(once: line, client)
            #expect(try others.response(once: line, client) == fresh)
        }
    }
}
