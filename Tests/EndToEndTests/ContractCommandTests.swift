import Foundation
import TestSupport
import Testing

/// `shunt expect --openapi`, on an archive.
@Suite struct ContractCommandTests {
    private static let document = """
        openapi: 3.0.3
        info: {title: Shop, version: '1'}
        paths:
          /v1/cart/{id}:
            get:
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              responses:
                '200':
                  description: a cart
                  content: {application/json: {schema: {properties: {at: {type: string, format: date}}}}}
        """

    private func archive(_ path: String, _ body: String) -> String {
        #"""
        {"log":{"version":"1.2","entries":[{"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"GET",
        "url":"https://api.shop.test\#(path)","httpVersion":"HTTP/1.1","headers":[],"cookies":[],"queryString":[]},
        "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1",
        "headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],
        "content":{"mimeType":"application/json","text":"\#(body)"}},"timings":{}}]}}
        """#
    }

    @Test(arguments: [
        ("/v1/cart/7", "{}", [String](), 0, "2 of 2 expectations are met over 1 exchange"),
        ("/v1/cart/x", "{}", [], 2, #"the path parameter id is "x", not integer"#),
        ("/v1/carts", "{}", [], 2, "the path /v1/carts is not documented"),
        (#"/v1/cart/7"#, #"{\"at\":\"today\"}"#, [], 0, "2 of 2"),
        (#"/v1/cart/7"#, #"{\"at\":\"today\"}"#, ["--formats"], 2, #"$.at is "today", no date"#),
        ("/v1/cart/7", "{}", ["~c 200: 1"], 0, "3 of 3 expectations are met"),
    ])
    func `traffic is compared with a document`(
        path: String, body: String, options: [String], status: Int32, words: String
    ) async throws {
        let folder = try TemporaryFolder()
        let (api, har) = (
            try folder.write("api.yaml", Self.document), try folder.write("shop.har", archive(path, body))
        )
        let result = await CapturedRun.run(["expect", "--openapi", api, "--har", har] + options)
        #expect(result.status == status && result.errors.contains(words), "\(result)")
    }

    @Test func `a document that is wrong is told whole, with its places`() async throws {
        let folder = try TemporaryFolder()
        let api = try folder.write(
            "api.yaml", "openapi: 3.1.0\npaths:\n  a: {}\ncomponents: {schemas: {A: {type: x}}}\n")
        let har = try folder.write("shop.har", archive("/", ""))
        let result = await CapturedRun.run("expect", "--openapi", api, "--har", har)
        #expect(result.status == 1, "\(result)")
        #expect(
            result.errors.contains("api.yaml:3:3: the path a is no template")
                && result.errors.contains("api.yaml:4:34: a wrong"))
        #expect(await CapturedRun.run("expect", "--formats", "~c 200: 1", "--har", har).status == 64)
    }
}
