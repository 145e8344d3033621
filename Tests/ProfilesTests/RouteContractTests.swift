import Contracts
import Profiles
import TestSupport
import Testing

/// Documents of OpenAPI that profiles and routes name.
@Suite struct RouteContractTests {
    private static let document =
        "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /a: {$ref: 'item.json'}\n"
    private static let item = #"{"get": {"responses": {"200": {}}}}"#

    private func folder(_ profiles: [String: String], document: String = document) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/api.yaml", document)
        // Among the profiles, and none.
        try folder.write("Profiles/item.json", Self.item)
        for (name, text) in profiles { try folder.write("Profiles/\(name).json", text) }
        return folder
    }

    private func load(_ folder: TemporaryFolder) throws -> ProfileLibrary {
        try ProfileLibrary.load(directory: folder.path + "/Profiles")
    }

    private func problems(_ folder: TemporaryFolder) -> String {
        do {
            _ = try load(folder)
            return ""
        } catch {
            return "\(error)".replacing(folder.path + "/", with: "")
        }
    }

    @Test func `a route has its own document, else that of the nearest profile, or none`() throws {
        let folder = try folder([
            "base": #"{"kind": "local", "contract": "api.yaml", "routes": [{"path": "/base", "mock": {}}]}"#,
            "none": """
            {"kind": "local", "extends": "base", "contract": false, "routes": [
              {"path": "/a", "mock": {}}, {"path": "/b", "mock": {}, "contract": "api.yaml"}]}
            """,
            "some": """
            {"kind": "local", "extends": "base", "routes": [
              {"path": "/a", "mock": {}}, {"path": "/b", "mock": {}, "contract": false},
              {"host": "pinned.test", "origin": "https://pinned.test", "tls": "passthrough"}]}
            """,
        ])
        let library = try load(folder)
        #expect(library.profiles.map(\.name) == ["base", "none", "some"])
        func names(_ profile: String) -> [String] {
            library[profile]?.routes.map { "\($0.pattern.path) \($0.contract?.name ?? "-")" } ?? []
        }
        #expect(names("none") == ["/a -", "/b api.yaml", "/base -"])
        #expect(names("some") == ["/a api.yaml", "/b -", "/* -", "/base api.yaml"], "\(names("some"))")
        // One reading for all of them, and all files are watched.
        let all = library.profiles.flatMap(\.routes).compactMap(\.contract)
        #expect(all.allSatisfy { $0 === all[0] })
        #expect(Set(library.files).isSuperset(of: ["api.yaml", "item.json"].map { "\(folder.path)/Profiles/\($0)" }))
    }

    @Test func `a document is read again when one of its files has changed, and only then`() throws {
        let folder = try folder(["p": #"{"kind": "local", "routes": [{"mock": {}, "contract": "api.yaml"}]}"#])
        let first = try load(folder)
        let contract = try #require(first["p"]?.routes[0].contract)
        #expect(try load(folder)["p"]?.routes[0].contract === contract)
        try folder.write("Profiles/item.json", #"{"get": {"responses": {"2000": {}}}}"#)
        #expect(problems(folder).hasPrefix("Profiles/item.json:1:"), "\(problems(folder))")
        try folder.write("Profiles/item.json", Self.item + "\n")
        let second = try load(folder)
        #expect(second["p"]?.routes[0].contract != nil && second["p"]?.routes[0].contract !== contract)
        withExtendedLifetime(first) {}
    }

    @Test(arguments: [
        ("\"none.yaml\"", "", #"Profiles/p.json:1:43: "none.yaml" cannot be read: No such file or directory"#),
        ("\"\"", "", #"Profiles/p.json:1:43: "contract" is empty; expected a file like "api.yaml", or false"#),
        ("true", "", #"Profiles/p.json:1:43: "contract" is true; expected a file like "api.yaml", or false"#),
        ("\"api.yaml\"", "openapi: 3.1.0\npaths:\n  a: {}\n", "Profiles/api.yaml:3:3: the path a is no template"),
        ("\"../Profiles/api.yaml\"", "a: [", "Profiles/../Profiles/api.yaml:"),
    ])
    func `what is wrong with a document is told with its place`(value: String, document: String, problem: String) throws
    {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/api.yaml", document)
        try folder.write("Profiles/p.json", #"{"kind": "local", "routes": [{"contract": \#(value), "mock": {}}]}"#)
        #expect(problems(folder).contains(problem), "\(problems(folder))")
    }
}
