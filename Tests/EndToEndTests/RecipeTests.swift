import Foundation
import TestSupport
import Testing

/// The recipes of `docs/ci`, as they stand there.
@Suite struct RecipeTests {
    let shunt: Shunt

    init() throws {
        shunt = try Shunt()
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", path: "/v1/cart", mock: { json: { items: 2 } } },
              { host: "app.shop.test", mock: { headers: { "Content-Type": "text/html" }, text: "<p>the shop</p>" } },
            ] }
            """)
    }

    /// The n-th block of a language in a recipe.
    private func block(_ recipe: String, _ language: String, _ number: Int = 0) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/ci/\(recipe).md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
        return try #require(blocks.dropFirst(number).first?.components(separatedBy: "```").first)
    }

    private func run(_ command: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path,
            ["run", "--base-url-env", "API_URL=https://api.shop.test", "--expect", "~c 2xx: 1..", "--"] + command,
            directory: shunt.folder.path, environment: ["TMPDIR": shunt.folder.path], seconds: 120)
    }

    @Test(.enabled(if: ClientProgram.hasPython, "Python with its packages \(ClientProgram.hint)"))
    func `pytest with requests and httpx`() throws {
        try shunt.folder.write("test_recipe.py", try block("python", "python"))
        let result = try run([
            ClientProgram.python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_recipe.py",
        ])
        #expect(result.status == 0 && result.output.contains("2 passed"), "\(result)")
    }

    @Test(.enabled(if: ClientProgram.hasNode, "node \(ClientProgram.hint)")) func `node's fetch`() throws {
        try shunt.folder.write("recipe.mjs", try block("javascript", "js"))
        let result = try run(["node", "recipe.mjs"])
        #expect(result.status == 0 && result.output == "{\"items\":2}\n", "\(result)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasJava, "a JDK \(ClientProgram.hint)"))
    func `Java's HttpClient`() throws {
        try shunt.folder.write(
            "Recipe.java",
            """
            import java.net.URI;
            import java.net.http.*;
            class Recipe { public static void main(String[] words) throws Exception {
            \(try block("java", "java"))
            } }
            """)
        let result = try run(["java", "Recipe.java"])
        #expect(result.status == 0 && result.output == "{\"items\":2}\n", "\(result)")
    }

    @Test func `curl`() throws {
        let line = try block("curl", "sh").replacingOccurrences(of: "shunt run", with: "\(ShuntBinary.path) run")
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", line], directory: shunt.folder.path, environment: ["TMPDIR": shunt.folder.path])
        #expect(result.status == 0 && result.output == "{\"items\":2}", "\(result)")
    }

    @Test(.extended, .enabled(if: ClientProgram.browser != nil, "Chromium \(ClientProgram.hint)"))
    func `Chromium`() throws {
        let line = try block("javascript", "sh", 1).replacingOccurrences(
            of: "shunt run", with: "\(ShuntBinary.path) run"
        )
        .replacingOccurrences(of: "chromium", with: ClientProgram.browser ?? "")
        // Chromium's socket there must have a path of at most 107 bytes.
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", line], directory: shunt.folder.path, environment: ["TMPDIR": "/tmp"], seconds: 120)
        #expect(result.status == 0 && result.output.contains("<p>the shop</p>"), "\(result)")
    }

    @Test func `the action runs a command and hands expectations over`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let action = try String(contentsOf: root.appendingPathComponent("action.yml"), encoding: .utf8)
        let script = try #require(action.components(separatedBy: "      run: |\n").last)
            .split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(8) }.joined(separator: "\n")
        func act(_ expectations: String) throws -> ChildProcess.Result {
            try ChildProcess.run(
                "/usr/bin/env", ["bash", "-eo", "pipefail", "-c", script], directory: shunt.folder.path,
                environment: [
                    "SHUNT_ACTION_PROGRAM": ShuntBinary.path, "SHUNT_ACTION_PROFILE": "local",
                    "SHUNT_ACTION_EXPECT": expectations, "SHUNT_ACTION_BASES": "API=https://api.shop.test\n",
                    "SHUNT_ACTION_ARGUMENTS": "",
                    "SHUNT_ACTION_RUN": "curl -sS --noproxy '*' \"$API/v1/cart\"; echo", "TMPDIR": shunt.folder.path,
                    "GITHUB_ACTIONS": "true",
                ])
        }
        let met = try act("~c 5xx: 0\n~u /v1/cart: 1\n")
        #expect(met.status == 0 && met.output == "{\"items\":2}\n", "\(met)")
        let missed = try act("~u /v1/cart: 2\n")
        #expect(missed.status == 2 && missed.errors.contains("::error title="), "\(missed)")
    }
}
