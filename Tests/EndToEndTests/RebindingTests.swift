import Foundation
import JSON
import TestSupport
import Testing

/// What a page of a stranger gets whose name leads to this machine, in a real browser.
@Suite struct RebindingTests {
    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }

    @Test func `a page of a stranger reads nothing and changes nothing`() throws {
        let profile = #"{"kind": "local", "routes": [{"mock": {"text": "secret"}}]}"#
        let shunt = try ServingShunt(
            ["local": profile, "staging": profile],
            ["--profile", "local", "--allow-host", "preview.shop.example"])
        let hosts = Circle.values(
            ["evil.example", "preview.shop.example"],
            andAll: ["rebind.evil.com", "localhost.evil.com", "api.shop.test"])
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "authority": shunt.folder.path + "/certs/ca.pem", "port": Int(shunt.port), "hosts": hosts,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/rebinding.py", String(decoding: task, as: UTF8.self)],
            directory: shunt.folder.path, seconds: 240)
        #expect(result.status == 0, "\(result.errors)")
        let shown = try JSONReader.read(result.output)
        for host in hosts {
            let isKnown = host == "api.shop.test" || host == "preview.shop.example"
            for scheme in ["http", "https"] {
                let texts = shown["\(scheme)://\(host)"]?.array?.compactMap(\.string) ?? []
                #expect(texts.count == 6)
                #expect(texts.contains { $0.contains("secret") } == isKnown, "\(host): \(texts)")
                if !isKnown { #expect(texts.dropFirst().allSatisfy { $0.hasPrefix("421 ") }, "\(host): \(texts)") }
                #expect(!texts.contains { !isKnown && $0.contains("staging") }, "\(host): \(texts)")
            }
        }
        try shunt.stop()
    }
}
