import Foundation
import JSON
import TestSupport
import Testing

/// Scripts and styles that are put into pages run in a real browser, whatever the pages' policies.
@Suite struct InjectionBrowserTests {
    @Test(.extended) func `what is put into a page runs under every policy that lets scripts run at all`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(
            [
                "local": """
                {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\(port)",
                  "inject": {"head": ["debug.css", "debug.js"], "body": "<script>mark('body ' + !!document.body)</script>"}}]}
                """
            ], ["--profile", "local", "--log", "json"],
            files: [
                "Profiles/debug.css": "body { color: rgb(1, 2, 3) }",
                "Profiles/debug.js": """
                const mark = text => { document.documentElement.dataset.order =
                    (document.documentElement.dataset.order || "") + text + ";" };
                mark("head " + !!document.body);
                """,
            ])
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "port": Int(port), "site": "http://127.0.0.1:\(shunt.port)",
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/inject_pages.py", String(decoding: task, as: UTF8.self)],
            directory: shunt.folder.path, seconds: 120)
        #expect(result.status == 0, "\(result.errors)")
        let pages = try #require(try JSONReader.read(result.output).array)
        #expect(pages.count == 13)
        for page in pages {
            let name = page["name"]?.string ?? ""
            #expect(page["title"]?.string == name)
            let source = page["source"]?.string ?? ""
            guard name != "sandbox" else {
                #expect(!source.contains("debug") && !source.contains("mark("), "\(source)")
                continue
            }
            #expect(page["order"]?.string == "head false;body true;", "\(name): \(page["console"]?.array ?? [])")
            #expect(page["color"]?.string == "rgb(1, 2, 3)", "\(name)")
            #expect(page["console"]?.array?.isEmpty == true, "\(name): \(page["console"]?.array ?? [])")
            // The page's own scripts run as before.
            let own = ["none", "nonce", "strict-dynamic", "unsafe-inline"].contains(name) ? 1 : 0
            #expect(page["own"]?.number?.int64 == Int64(own), "\(name)")
        }
        let log = try shunt.stop().errors
        #expect(log.contains("+injection") && log.contains("no injection"), "\(log)")
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }
}
