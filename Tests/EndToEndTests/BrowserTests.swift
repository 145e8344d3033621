import Foundation
import JSON
import TestSupport
import Testing

/// A real browser, a small app in two environments, and Shunt between them.
@Suite struct BrowserTests {
    struct Shown: Equatable {
        var environment: String?
        var user: String?
        /// Environment, user and CSRF token, as the API saw them and scripts did.
        var me: String?
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }

    private func browse(_ shunt: ServingShunt, _ steps: [[String]]) throws -> (shown: [Shown], console: [String]) {
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "page": "https://m.shop.test:\(shunt.port)/", "authority": shunt.folder.path + "/certs/ca.pem",
            "hosts": "*.shop.test",
            "steps": steps,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", SampleApp.scripts + "/browse.py", String(decoding: task, as: UTF8.self)],
            directory: shunt.folder.path, seconds: 120)
        #expect(result.status == 0, "\(result.errors)")
        let value = try JSONReader.read(result.output)
        let shown = value["results"]?.array?.map { result in
            Shown(
                environment: result["environment"]?.string, user: result["user"]?.string,
                me: result["me"]?.string ?? result["source"]?.string)
        }
        return (shown ?? [], value["console"]?.array?.compactMap(\.string) ?? [])
    }

    @Test(.extended) func `a login survives the way to another environment and back, and the console stays clean`()
        throws
    {
        let (staging, local) = (
            try SampleApp("staging", isTLS: true), try SampleApp("local", isTLS: false, hasCORS: false)
        )
        func profile(_ app: SampleApp, kind: String, _ more: String) -> String {
            """
            {"kind": "\(kind)", "cookieJar": true, "routes": [
              {"host": "m.shop.test", "origin": "\(app.pages)", "rewrite": {"bodies": true}},
              {"host": "api.shop.test", "origin": "\(app.api)"\(more)}],
             "certificateAuthorities": ["\(staging.certificate)"]}
            """
        }
        let shunt = try ServingShunt(
            [
                "staging": profile(staging, kind: "staging", ""),
                "local": profile(
                    local, kind: "local", #", "cors": {"origins": ["https://m.shop.test:*"]}"#),
            ], ["--profile", "staging", "--log", "json"])
        func use(_ name: String) -> [String] { ["run", ShuntBinary.path, "use", name] }
        let (shown, console) = try browse(
            shunt,
            [
                ["show"], ["login", "ann"], use("local"), ["show"], ["login", "bob"], ["show"], use("staging"),
                ["show"], use("local"), ["show"],
            ])
        let ann = Shown(environment: "staging", user: "staging-ann", me: "staging:staging-ann:staging-token-ann")
        let bob = Shown(environment: "local", user: "local-bob", me: "local:local-bob:local-token-bob")
        #expect(
            shown == [
                Shown(environment: "staging", user: "nobody", me: "staging:nobody:"), ann,
                Shown(environment: "local", user: "nobody", me: "local:nobody:"), bob, bob, ann, bob,
            ])
        #expect(console.isEmpty)
        let (seenByStaging, seenByLocal) = (try staging.seen(), try local.seen())
        #expect(seenByStaging.contains { $0.contains("staging-ann") })
        #expect(!seenByLocal.contains { $0.contains("staging") || $0.contains("shunt") }, "\(seenByLocal)")
        #expect(!seenByStaging.contains { $0.contains("local") || $0.contains("shunt") }, "\(seenByStaging)")
        let log = try shunt.stop().errors
        #expect(log.contains(#"-Strict-Transport-Security"#) && log.contains("Location"), "\(log)")
    }
}
