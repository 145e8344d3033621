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

    @Test func `a path that is none gets the nearest ones, not all`() async throws {
        let admin = try await AskedAdmin()
        let response = try await admin.ask("GET", "/v1/traffik/stats")
        await admin.stop()
        let advice = try #require(try response.json["advice"]?.string)
        #expect(response.status == 404 && advice.contains("GET /v1/traffic/stats"))
        #expect(advice.contains("`GET /openapi.json` describes all") && !advice.contains("/v1/unlock"), "\(advice)")
    }

    @Test(arguments: AdminRoute.all.map { "\($0.method) \($0.path)" })
    func `a query has what is described`(name: String) async throws {
        let document = try await document()
        let route = try #require(AdminRoute.all.first { "\($0.method) \($0.path)" == name })
        let path = document["paths"]?[route.path]
        let operation = try #require(path?[route.method.lowercased()])
        let all = (operation["parameters"]?.array ?? []) + (path?["parameters"]?.array ?? [])
        #expect(
            Set(all.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string }) == Set(route.query))
        let braces = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            "\($0.dropFirst().dropLast())"
        }
        #expect(all.filter { $0["in"]?.string == "path" }.compactMap { $0["name"]?.string } == braces)
        let responses = operation["responses"]
        #expect((responses?["200"] ?? responses?["101"]) != nil && responses?["401"] != nil)
        #expect((operation["requestBody"] != nil) == (route.method == "POST"))
    }

    @Test func `bodies and responses have the members of the tables, and no others`() throws {
        try WrittenPage.check("docs/openapi.json") { text in
            DescribedTables.described(try JSONReader.read(Array(text.utf8), dialect: .strict))
        }
        try WrittenPage.check("docs/admin-members.md") { _ in DescribedTables.page() }
        try WrittenPage.check("docs/admin.md") { DescribedTables.withRequests($0) }
    }

    /// Routes and expectations of a session are read as those of files.
    @Test(
        arguments: AdminRoute.all.filter { $0.method == "POST" && !$0.path.hasPrefix("/v1/sessions/") }.map(\.path))
    func `a body has no members but those of its tables`(path: String) async throws {
        let admin = try await AskedAdmin(hasInspector: true, hasUsers: true)
        admin.offer(1, AskedAdmin.exchange("/a"))
        try await admin.waitForCount(1)
        let route = try #require(AdminRoute.all.first { $0.path == path && $0.method == "POST" })
        let target = path.replacing("{id}", with: "1")
        let type = "Content-Type: application/json\r\n"
        // Misspelt, it would switch the profile of all clients.
        let response = try await admin.ask("POST", target, type, body: #"{"profile": "staging", "devise": "a"}"#)
        #expect(response.status == 400 && response.body.contains("unknown member"), "\(response.body)")
        for member in route.forms.flatMap(\.members) {
            let response = try await admin.ask("POST", target, type, body: #"{"\#(member)": {}}"#)
            #expect(response.status == 400 || response.status == 409, "\(member): \(response.body)")
            #expect(!response.body.contains("unknown member"), "\(member): \(response.body)")
        }
        #expect(admin.proxy.profiles?.active == "local")
        await admin.stop()
    }

    /// What `const { … } = await get("PATH")`, `.then(({ … })`, `post("PATH", { … })` and `status.…` name in the scripts.
    @Test func `the inspector names no member that there is not`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Admin/Inspector/Web")
        var count = 0
        func check(_ file: String, _ method: Substring, _ path: Substring, _ names: Substring, isBody: Bool = false) {
            let path = String(path).replacing(/\$\{[^}]*\}/, with: "{id}")
            // Those of parts of an object are told by no name of a path.
            guard !names.contains("{"),
                let known = ResponseSchema.members(method == "post" ? "POST" : "GET", path, isBody: isBody)
            else { return }
            for name in names.split(separator: ",").map({ $0.prefix { $0 != ":" && $0 != "=" }.filter { $0 != " " } })
            where !name.hasPrefix("...") && !name.isEmpty {
                count += 1
                #expect(known.contains(name), "\(file): \(path) has no member \(name)")
            }
        }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "js" {
            let (text, name) = (try String(contentsOf: file, encoding: .utf8), file.lastPathComponent)
            for found in text.matches(of: /\{([^{}]*)\} = await (get|post)\(["`]([^"`]+)["`]/) {
                check(name, found.2, found.3, found.1)
            }
            for found in text.matches(of: /(get|post)\(["`]([^"`]+)["`][^;\n]*?\.then\(\(\{([^}]*)\}\)/) {
                check(name, found.1, found.2, found.3)
            }
            for found in text.matches(of: /(post)\(["`]([^"`]+)["`], \{([^}]*)\}/) {
                check(name, found.1, found.2, found.3, isBody: true)
            }
            for found in text.matches(of: /\bthis\.status\.([a-zA-Z]+)/) { check(name, "get", "/v1/status", found.1) }
        }
        #expect(count > 40)
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
