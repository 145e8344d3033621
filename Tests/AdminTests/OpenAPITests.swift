import Admin
import Engine
import Foundation
import JSON
import TestSupport
import Testing

/// The document beside the routes that there are.
@Suite struct OpenAPITests {
    private func document() async throws -> JSONValue {
        let admin = try await AskedAdmin()
        let response = try await admin.get("/openapi.json")
        await admin.stop()
        #expect(response.status == 200)
        return try response.json
    }

    /// The parameter that a reference names, or itself.
    private func parameter(_ value: JSONValue, in document: JSONValue) -> JSONValue? {
        guard let name = value["$ref"]?.string?.split(separator: "/").last else { return value }
        return document["components"]?["parameters"]?[String(name)]
    }

    @Test func `every route is described, and every description is of a route`() async throws {
        let document = try await document()
        var described: Set<String> = []
        for path in document["paths"]?.object ?? [] {
            for operation in path.value.object ?? [] where operation.key != "parameters" {
                described.insert("\(operation.key.uppercased()) \(path.key)")
            }
        }
        #expect(described == Set(AdminRoute.all.map { "\($0.method) \($0.path)" }))
        #expect(described.count == AdminRoute.all.count)
    }

    @Test(arguments: AdminRoute.all.map { "\($0.method) \($0.path)" })
    func `a query has what is described`(name: String) async throws {
        let document = try await document()
        let route = try #require(AdminRoute.all.first { "\($0.method) \($0.path)" == name })
        let path = document["paths"]?[route.path]
        let operation = try #require(path?[route.method.lowercased()])
        let all = ((operation["parameters"]?.array ?? []) + (path?["parameters"]?.array ?? []))
            .compactMap { parameter($0, in: document) }
        #expect(
            Set(all.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string }) == Set(route.query))
        let braces = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            "\($0.dropFirst().dropLast())"
        }
        #expect(all.filter { $0["in"]?.string == "path" }.compactMap { $0["name"]?.string } == braces)
        #expect(operation["responses"]?["200"] != nil && operation["responses"]?["401"] != nil)
        #expect((operation["requestBody"] != nil) == (route.method == "POST"))
    }

    @Test(arguments: AdminRoute.all.filter { $0.method == "POST" }.map(\.path))
    func `a body has no members but those that are described`(path: String) async throws {
        let admin = try await AskedAdmin(hasInspector: true, hasUsers: true)
        admin.offer(1, AskedAdmin.exchange("/a"))
        try await admin.waitForCount(1)
        let document = try await admin.get("/openapi.json").json
        let body = document["paths"]?[path]?["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
        let schemas = try #require(body?["anyOf"]?.array ?? body.map { [$0] })
        for schema in schemas { #expect(schema["additionalProperties"]?.bool == false) }
        let target = path.replacing("{id}", with: "1")
        let type = "Content-Type: application/json\r\n"
        // Misspelt, it would switch the profile of all clients.
        let response = try await admin.ask("POST", target, type, body: #"{"profile": "staging", "devise": "a"}"#)
        #expect(response.status == 400 && response.body.contains("unknown member"), "\(response.body)")
        for member in schemas.flatMap({ $0["properties"]?.object ?? [] }) {
            let response = try await admin.ask("POST", target, type, body: #"{"\#(member.key)": {}}"#)
            #expect(!response.body.contains("unknown member"), "\(member.key): \(response.body)")
        }
        #expect(admin.proxy.profiles?.active == "local")
        await admin.stop()
    }

    @Test(arguments: [
        (#""device": "127.0.0.1", "user": "ada""#, "“device” and “user”"),
        (#""device": "127.0.0.1", "wait": true"#, "“device” and “wait”"),
        (#""user": "ada", "waitSeconds": 1"#, "“user” and “waitSeconds”"),
    ])
    func `a choice is for a device or for a user, and only one for all is waited for`(
        members: String, told: String
    ) async throws {
        let admin = try await AskedAdmin(hasUsers: true)
        let response = try await admin.ask(
            "POST", "/v1/use", "Content-Type: application/json\r\n", body: #"{"profile": "staging", \#(members)}"#)
        #expect(response.status == 400 && response.body.contains(told), "\(response.body)")
        await admin.stop()
    }
}
