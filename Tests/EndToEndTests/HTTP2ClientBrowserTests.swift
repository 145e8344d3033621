import Foundation
import JSON
import TestSupport
import Testing

/// A page in a real browser that tells by which protocol all that it asked for came.
@Suite(.enabled(if: ClientProgram.hasNode, "node, the origin, \(ClientProgram.hint)"))
struct HTTP2ClientBrowserTests {
    @Test(
        .extended,
        .enabled(
            if: ClientProgram.browser != nil && ClientProgram.find("certutil") != nil, "Chromium \(ClientProgram.hint)"),
        arguments: ["http", "https"])
    func `Chromium gets everything over h2`(kind: String) throws {
        let origin = try ServerProgram(ClientProgram.node("origin.js"))
        let shunt = try origin.shunt(kind, ["--log", "json"])
        let home = try TemporaryFolder()
        let store = "sql:" + home.path + "/.pki/nssdb"
        try home.write(".pki/nssdb/made", "")
        for arguments in [
            ["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "shunt", "-i", shunt.authority],
        ] {
            let made = try ChildProcess.run("/usr/bin/env", ["certutil", "-d", store] + arguments)
            try #require(made.status == 0, "\(made.errors)")
        }
        let browser = try ChildProcess(
            try #require(ClientProgram.browser),
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                "--no-first-run", "--user-data-dir=" + home.path + "/profile", shunt.address(tls: true) + "/page",
            ], environment: ["HOME": home.path])
        defer { browser.signal(9) }
        #expect(eventually { origin.output.contains("}") }, "no report; \(browser.errors)")
        let report = try JSONReader.read(origin.output.isEmpty ? "{}" : origin.output)
        #expect(report["error"]?.string == nil)
        #expect(report["hello"]?.string == "GET")
        #expect(report["sizes"]?.bool == true)
        #expect(report["upload"]?.number?.int64 == 3_000_000)
        #expect(report["missing"]?.number?.int64 == 404)
        #expect(report["events"]?.array?.compactMap(\.number?.int64) == [0, 1, 2])
        #expect(report["socket"]?["code"]?.number?.int64 == 3456)
        #expect(report["socket"]?["isClean"]?.bool == true && report["socket"]?["isWhole"]?.bool == true)
        let lines = try shunt.stop().errors.split(separator: "\n").compactMap { try? JSONReader.read(String($0)) }
        let socket = try #require(lines.first { $0["url"]?.string?.hasSuffix("/socket") == true })
        #expect(socket["client"]?["protocol"]?.string == "HTTP/2")
        #expect(report["protocols"]?.array?.compactMap(\.string) == ["h2"])
    }
}
