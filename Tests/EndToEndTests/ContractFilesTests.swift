import Foundation
import JSON
import TestSupport
import Testing

/// Documents of OpenAPI that become mocks, come of traffic, and are compared.
@Suite struct ContractFilesTests {
    private static let document = """
        openapi: 3.1.0
        info: {title: Shop, version: '1'}
        paths:
          /v1/items/{id}:
            get:
              responses:
                '200':
                  description: one
                  content:
                    application/json:
                      schema: {properties: {id: {type: integer}}}
                      examples: {pen: {value: {id: 7}}}
                '404': {description: none}
        """

    @Test func `a document becomes mocks that a profile can have`() async throws {
        let folder = try TemporaryFolder()
        let api = try folder.write("api.yaml", Self.document)
        let profile = try folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        let words = ["mocks", "from", api, "--profiles", folder.path + "/Profiles"]
        let result = await CapturedRun.run(words)
        #expect(result.status == 0 && result.output.contains("added  4 mocks to"), "\(result)")
        let routes =
            try JSONReader.read(Array(try Data(contentsOf: URL(fileURLWithPath: profile))))["routes"]?.array ?? []
        #expect(
            routes.map { $0["match"]?["headers"]?["Prefer"]?.string ?? "-" }.sorted() == [
                "-", "code=200", "code=404", "example=pen",
            ])
        #expect(await CapturedRun.run("validate", "--profiles", folder.path + "/Profiles").status == 0)
        // What is there already stays.
        let again = await CapturedRun.run(words)
        #expect(
            again.status == 1 && again.errors.contains("left out  GET /v1/items/{id}: a route for it is at"), "\(again)"
        )
    }

    @Test func `traffic becomes a document that it fits`() async throws {
        let folder = try TemporaryFolder()
        let entries = (1...3).map { number in
            #"""
            {"startedDateTime":"2026-05-01T10:00:00Z","time":1,"request":{"method":"POST",
            "url":"https://api.shop.test/v1/items/\#(number)?page=\#(number)&token=s3cr3t-value","httpVersion":"HTTP/1.1",
            "headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],"queryString":[],
            "postData":{"mimeType":"application/json","text":"{\"name\":\"hunter2\"}"}},
            "response":{"status":200,"statusText":"","httpVersion":"HTTP/1.1",
            "headers":[{"name":"Content-Type","value":"application/json"}],"cookies":[],
            "content":{"mimeType":"application/json","text":"{\"id\":\#(number)\#(number == 1 ? ",\\\"at\\\":null" : "")}"}},"timings":{}}
            """#
        }
        let har = try folder.write(
            "shop.har", #"{"log":{"version":"1.2","entries":[\#(entries.joined(separator: ","))]}}"#)
        let store = folder.path + "/traffic.db"
        #expect(await CapturedRun.run("import", har, "--store", store).status == 0)
        let api = folder.path + "/api.json"
        let result = await CapturedRun.run("export", "--openapi", "--store", store, "-o", api)
        #expect(result.status == 0 && result.errors.contains("3 exchanges described"), "\(result)")
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: api)))
        let operation = try JSONReader.read(bytes)["paths"]?["/v1/items/{id}"]?["post"]
        let schema = operation?["responses"]?["200"]?["content"]?["application/json"]?["schema"]
        #expect(schema?["properties"]?["id"]?["type"]?.string == "integer")
        #expect(schema?["required"]?.array?.compactMap(\.string) == ["id"])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("hunter2") && !text.contains("s3cr3t"))
        let check = await CapturedRun.run("expect", "--openapi", api, "--store", store)
        #expect(check.status == 0, "\(check)")
    }

    @Test func `breaking changes are listed with their places`() async throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old.yaml", Self.document)
        let new = try folder.write("new.yaml", Self.document.replacing("type: integer", with: "type: string"))
        #expect(await CapturedRun.run("diff", "--openapi", old, old).status == 0)
        let result = await CapturedRun.run("diff", "--openapi", old, new, "--json")
        #expect(result.status == 1, "\(result)")
        let change = try JSONReader.read(result.output)["breaking"]?.array?.first
        #expect(change?["operation"]?.string == "GET /v1/items/{id}")
        #expect(change?["part"]?.string == "the response 200 $.id" && change?["message"]?.string == "may be string now")
        #expect(change?["place"]?.string?.contains("new.yaml:11:") == true, "\(result.output)")
    }
}
