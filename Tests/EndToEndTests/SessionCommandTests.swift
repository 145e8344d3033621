import Foundation
import JSON
import TestSupport
import Testing

/// `shunt session`: two tests share one server without seeing each other.
@Suite struct SessionCommandTests {
    private static let profile = #"""
        {"kind": "local", "routes": [{"path": "/*", "mock": {"text": "profile"}}]}
        """#

    private static func get(_ shunt: ServingShunt, _ path: String, _ id: String) throws -> String {
        try ChildProcess.run(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "120", "--noproxy", "*", "-H", "Shunt-Session: \(id)",
                "http://127.0.0.1:\(shunt.port)\(path)",
            ], seconds: 150
        ).output
    }

    @Test func `each session has mocks, traffic and expectations of its own`() throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--profile", "local"])
        let file = try shunt.folder.write("routes.json", #"[{"path": "/cart", "mock": {"text": "empty"}}]"#)
        func start() throws -> String {
            try shunt.run("session", "start").output.trimmingCharacters(in: .newlines)
        }
        let (one, two) = (try start(), try start())
        #expect(try shunt.run("session", "routes", one, file).output.contains("cart"))
        #expect(try Self.get(shunt, "/cart", one) == "empty")
        #expect(try Self.get(shunt, "/cart", two) == "profile")
        for id in [one, two] {
            #expect(try shunt.run("session", "expect", id, "~u /cart: 1", "~u /orders: 1").status == 0)
        }
        #expect(try Self.get(shunt, "/orders", two) == "profile")
        let failed = try shunt.run("session", "verify", one)
        #expect(failed.status == 2 && failed.output.contains("/orders") && failed.output.contains("1 of 2 met"))
        // Of its own traffic: the other one has sent what is missing here.
        #expect(failed.output.contains("nearest") && !failed.output.contains("/orders 200"), "\(failed.output)")
        #expect(try shunt.run("session", "verify", two).status == 0)
        let logged = try shunt.run("logs", "--session", one, "--json").output.split(separator: "\n").map {
            try JSONReader.read(Array($0.utf8))["session"]?.string
        }
        #expect(logged == [one])
        #expect(try shunt.run("session", "end", one).output == "ended  \(one)\n")
        let ended = try Self.get(shunt, "/cart", one)
        #expect(ended.contains("has ended") && ended.contains("shunt session start"), "\(ended)")
        #expect(try shunt.run("session", "list").output.contains(two))
    }

    private static let turns = #"""
        {"kind": "local", "routes": [
            {"path": "/turns", "mock": {"responses": [{"text": "first"}, {"text": "second"}]}},
            {"path": "/*", "mock": {"text": "profile"}}]}
        """#

    /// Runs a program beside a kit.
    private static func run(_ kit: String, _ script: String, _ words: [String]) throws -> ChildProcess.Result {
        let shunt = try ServingShunt(["local": turns], ["--profile", "local"])
        #expect(try shunt.run("client-kit", "--for", kit, "-o", shunt.folder.path).status == 0)
        let program = try String(contentsOfFile: ClientProgram.folder + script, encoding: .utf8)
        try shunt.folder.write(script, program)
        return try ChildProcess.run(
            "/usr/bin/env", ["BASE=http://127.0.0.1:\(shunt.port)"] + words, directory: shunt.folder.path, seconds: 300)
    }

    @Test(.extended, .enabled(if: ClientProgram.hasPython, "Python \(ClientProgram.hint)"))
    func `50 tests of pytest at a time have a session each`() throws {
        let result = try Self.run(
            "pytest", "session_kit.py",
            [ClientProgram.python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "session_kit.py"])
        #expect(result.status == 0, "\(result.output) \(result.errors)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasJava, "a JDK \(ClientProgram.hint)"))
    func `50 tests in Java at a time have a session each`() throws {
        let result = try Self.run(
            "junit", "SessionKit.java",
            ["sh", "-c", "javac -d out SessionKit.java ShuntSession.java && java -cp out SessionKit"])
        #expect(result.output == "ok\n", "\(result.output) \(result.errors)")
    }

    @Test(.extended) func `50 tests in Swift at a time have a session each`() throws {
        let swiftc = try #require(
            ["/opt/swift/usr/bin/swiftc", "/usr/bin/swiftc"].first { FileManager.default.isExecutableFile(atPath: $0) })
        let result = try Self.run(
            "xctest", "SessionKit.swift",
            [
                "sh", "-c",
                "\(swiftc) -swift-version 6 -parse-as-library -module-cache-path cache SessionKit.swift ShuntSession.swift -o kit && ./kit",
            ])
        #expect(result.output == "ok\n", "\(result.output) \(result.errors)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasNode, "node \(ClientProgram.hint)"))
    func `50 tests in JavaScript at a time have a session each`() throws {
        let result = try Self.run("playwright", "session_kit.mjs", ["node", "session_kit.mjs"])
        #expect(result.output == "ok\n", "\(result.output) \(result.errors)")
    }
}
