import Foundation
import JSON
import TestSupport
import Testing

/// Commands and profiles that documents and help show are run and read by the real program.
@Suite struct ExampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// A project with all that examples name, and a Shunt that has recorded something.
    private func project() throws -> ServingShunt {
        func mock(_ kind: String, _ more: String = "") -> String {
            #"{"kind": "\#(kind)"\#(more), "routes": [{"name": "promo", "path": "/*", "mock": {"text": "hello"}}]}"#
        }
        let staging = mock("staging", #", "token": {"variable": "HOME"}"#)
        let shunt = try ServingShunt(
            ["local": mock("local"), "staging": staging, "production": mock("production")],
            files: [".git/HEAD": "ref: refs/heads/main\n"])
        let requests = (1...20).map {
            "url = http://127.0.0.1:\(shunt.port)/v1/cart/\($0)\noutput = /dev/null\nheader = \"Host: api.shop.test\"\n"
        }
        try shunt.folder.write("requests", requests.joined(separator: "next\n"))
        #expect(try shunt.curl("-K", "requests").status == 0)
        #expect(eventually { (try? shunt.run("logs").output.split(separator: "\n").count) == 20 })
        let archive = try shunt.run("export", "--har")
        let keys = try shunt.run("keys", "new", ".local/share/shunt/identity.txt")
        try shunt.folder.write("Profiles/recipients.txt", keys.output)
        for name in ["shop.har", "Downloads/shop.har", "Recordings/checkout.har", "traffic.har"] {
            try shunt.folder.write(name, archive.output)
        }
        for name in ["api.yaml", "new.yaml"] { try shunt.folder.write(name, Self.contract) }
        try shunt.folder.write("schema.graphql", "type Query { cart: Int }")
        return shunt
    }

    private static let contract = """
        openapi: 3.1.0
        info: {title: Shop, version: '1'}
        paths:
          /v1/cart/{id}:
            get:
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              responses: {'200': {description: a cart, content: {text/plain: {}}}}
        """

    @Test func `what documents and help show can be run, or says why not`() throws {
        let shunt = try project()
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "examples.py", ShuntBinary.path, Self.root],
            directory: shunt.folder.path, seconds: 300)
        #expect(result.status == 0, "\(result.errors)")
        let blocks = try result.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        for block in blocks {
            let wrong = (block["wrong"]?.array ?? []).compactMap(\.string)
            #expect(wrong.isEmpty, "\(block["place"]?.string ?? ""): \(wrong.joined(separator: "; "))")
        }
        let kinds = Set(blocks.compactMap { $0["done"]?.string })
        #expect(kinds.isSuperset(of: ["marked", "run", "profile", "json"]), "\(kinds)")
    }

    @Test(arguments: [
        ("```sh\nshunt logs '~nope x'\n```", "~nope"), ("```console\n$ shunt use --devise x\n…\n```", "--devise"),
        ("```\nshunt serve --prot 1 &\n```", "--prot"), ("```json5\n{ \"pathh\": \"/\" }\n```", "pathh"),
        ("```json\n{\"a\": }\n```", "no JSON"), ("```sh\nmake\n```", "nothing in it can be run"),
        ("```sh\nshunt export --har '~c 5..'\n```", "~c"),
    ])
    func `an example that does not work is found`(block: String, words: String) throws {
        let shunt = try project()
        let other = try TemporaryFolder()
        try other.write("README.md", "# One\n\n\(block)\n")
        try other.write("docs/empty.md", "")
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", ClientProgram.folder + "examples.py", ShuntBinary.path, other.path, "--no-help"],
            directory: shunt.folder.path, seconds: 300)
        #expect(result.status == 0, "\(result.errors)")
        let first = try #require(
            try result.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
                .first { $0["place"]?.string == "README.md:3" })
        #expect(first["wrong"]?.array?.first?.string?.contains(words) == true, "\(first)")
    }
}
