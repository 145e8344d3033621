import Foundation
import TestSupport
import Testing

/// A route's `contract` through the doors that people use.
@Suite struct RouteContractCommandTests {
    private func document(_ total: String) -> String {
        """
        openapi: 3.1.0
        info: {title: Shop, version: '1'}
        paths:
          /v1/cart:
            get:
              responses: {'200': {content: {application/json: {schema: {properties: {total: {type: \(total)}}}}}}}

        """
    }

    @Test func `findings are in log, list and detail, and a changed document is read again`() async throws {
        let profile = """
            {"kind": "local", "contract": "../api.yaml", "routes": [{"path": "/*", "mock": {"json": {"total": "1"}}}]}
            """
        let shunt = try ServingShunt(["local": profile], files: ["api.yaml": document("number")])
        let url = "http://127.0.0.1:\(shunt.port)/v1/cart"
        let found = #"the response body $.total is "1", not number"#
        let results = try await blocking { () throws -> [ChildProcess.Result] in
            #expect(try shunt.curl(url).output == #"{"total":"1"}"#)
            #expect(try eventually { try shunt.run("logs").output.contains("/v1/cart") })
            return try [
                shunt.run("logs", "~contract"), shunt.run("show", "1"), shunt.run("logs", "--json", "~contract"),
                shunt.run("expect", "~contract: 0"), shunt.run("explain", url), shunt.run("validate"),
            ]
        }
        for result in results.prefix(3) {
            #expect(result.output.replacing("\\\"", with: "\"").contains(found), "\(result)")
        }
        #expect(results[3].status == 2 && results[4].output.contains("  contract ../api.yaml, 1 operation"))
        #expect(results[5].status == 0)
        #expect(
            eventually { shunt.process.errors.contains("not as its contract: " + found) }, "\(shunt.process.errors)")
        // What is wrong stays out, and what is right counts.
        try shunt.folder.write("api.yaml", "openapi: 3.1.0\npaths: {a: {}}\n")
        #expect(
            eventually { shunt.process.errors.contains("api.yaml:2:9: the path a is no template") },
            "\(shunt.process.errors)")
        try shunt.folder.write("api.yaml", document("string"))
        #expect(
            eventually { shunt.process.errors.contains("profiles read again: profile local: route * changed") },
            "\(shunt.process.errors)")
        try await blocking { () throws -> Void in
            #expect(try shunt.curl(url).status == 0)
            #expect(try eventually { try shunt.run("logs").output.split(separator: "\n").count == 2 })
            #expect(try shunt.run("logs", "~contract", "--json").output.split(separator: "\n").count == 1)
        }
        try shunt.stop()
    }
}
