import Foundation
import TestSupport
import Testing

/// Faults as clients of other makers see them.
@Suite struct FaultClientTests {
    private static let names = [
        "reset", "close", "close-in-head", "close-after-head", "close-100", "reset-100", "truncate", "corrupt", "slice",
        "goaway", "stream-reset", "status", "hang", "slow-close",
    ]

    /// Each fault at the path of its name, a body of 2000 `x`, and a page that asks for all of them.
    private static let profile: String = {
        let special = [
            "close-in-head": #"{"kind": "close", "at": "in-head"}"#,
            "close-after-head": #"{"kind": "close", "at": "after-head"}"#,
            "close-100": #"{"kind": "close", "after": 100}"#, "reset-100": #"{"kind": "reset", "after": 100}"#,
            "slice": #"{"kind": "slice", "size": 900, "time": "5ms"}"#,
            "status": #"{"kind": "status", "status": 502}"#, "hang": #"{"kind": "hang", "time": "50ms"}"#,
            "slow-close": #"{"kind": "slow-close", "time": "50ms"}"#,
        ]
        let text = String(repeating: "x", count: 2000)
        let routes = names.map { name in
            #"{"path": "/\#(name)", "mock": {"text": "\#(text)"}, "fault": \#(special[name] ?? "\"\(name)\"")}"#
        }
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        let page =
            "<body><script>(async()=>{for(const n of [\(list)]){let t=n+' ';try{const r=await fetch('/'+n);t+=r.status+' ';"
            + "t+=(await r.text()).length}catch(e){t+=e.name}document.body.append('['+t+']')}})()</script>"
        let mock = #"{"path": "/page", "mock": {"text": "\#(page)", "headers": {"Content-Type": "text/html"}}}"#
        return #"{"kind": "local", "routes": [\#((routes + [mock]).joined(separator: ", "))]}"#
    }()

    private func lines(_ program: String, _ words: [String]) throws -> [String] {
        let result = try ChildProcess.run("/usr/bin/env", [program] + words, directory: "/tmp", seconds: 120)
        #expect(result.status == 0, "\(result)")
        return result.output.split(separator: "\n").map(String.init)
    }

    private func client(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Clients/\(name)").path
    }

    /// Status, bytes of the body, and curl's exit status.
    private static let overHTTP1 = [
        "reset 000 0 56", "close 000 0 52", "close-in-head 200 0 18", "close-after-head 200 0 18",
        "close-100 200 100 18",
        "reset-100 200 100 56", "truncate 200 16 18", "corrupt 200 2000 0", "slice 200 2000 0", "goaway 000 0 52",
        "stream-reset 200 16 56", "status 502 29 0", "hang 000 0 52", "slow-close 200 2000 0",
    ]

    /// After a reset of the connection curl fails where it reads or where it writes, 56 or 55, and may not have read what
    /// came before; the end of a connection is 18 for older versions and 16 for newer ones.
    private static let overHTTP2 = [
        "reset 000 0 55|56", "close 000 0 16|18", "close-in-head 000 0 16|18", "close-after-head 200 0 16|18",
        "close-100 200 100 16|18", "reset-100 000|200 0|100 55|56", "truncate 000|200 0|16 92", "corrupt 200 2000 0",
        "slice 200 2000 0", "goaway 000 0 16|18", "stream-reset 200 16 92", "status 502 29 0", "hang 000 0 16|18",
        "slow-close 200 2000 0",
    ]

    @Test(arguments: [
        ("http", "--http1.1", overHTTP1), ("https", "--http1.1", overHTTP1), ("https", "--http2", overHTTP2),
    ])
    func `curl sees each fault`(scheme: String, version: String, expected: [String]) throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--no-store"])
        for line in expected {
            let words = line.split(separator: " ")
            let result = try shunt.curl(
                version, "-o", "out", "-w", "%{http_code} %{size_download}",
                "\(scheme)://localhost:\(shunt.port)/\(words[0])")
            let seen = "\(result.output) \(result.status)".split(separator: " ")
            let isExpected = zip(words.dropFirst(), seen).allSatisfy { allowed, value in
                allowed.split(separator: "|").contains(value)
            }
            #expect(isExpected && seen.count == 3, "\(line): \(result)")
        }
        try shunt.stop()
    }

    @Test func `Python sees each fault`() throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--no-store"])
        let got = try lines("python3", [client("faults.py"), "\(shunt.port)"] + Self.names)
        #expect(
            got == [
                "reset ConnectionResetError", "close RemoteDisconnected", "close-in-head IncompleteRead",
                "close-after-head IncompleteRead", "close-100 IncompleteRead", "reset-100 ConnectionResetError",
                "truncate IncompleteRead", "corrupt 200 2000 32", "slice 200 2000 0", "goaway RemoteDisconnected",
                "stream-reset ConnectionResetError", "status 502 29 29", "hang RemoteDisconnected",
                "slow-close 200 2000 0",
            ])
        try shunt.stop()
    }

    @Test(.extended) func `Node sees each fault, over HTTP/2 as well`() throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--no-store"])
        let got = try lines("node", [client("faults.js"), "\(shunt.port)"] + Self.names)
        for line in [
            "h1 reset ECONNRESET", "h1 close-after-head 200 aborted", "h1 truncate 200 aborted", "h1 slice 200 2000",
            "h1 status 502 29", "h2 corrupt 200 2000 code 0", "h2 slice 200 2000 code 0", "h2 status 502 29 code 0",
            // PROTOCOL_ERROR by Node itself, since the length is wrong; INTERNAL_ERROR by Shunt.
            "h2 stream-reset 200 16 code 2", "h2 slow-close 200 2000 code 0",
        ] { #expect(got.contains(line), "\(line) is not among \(got)") }
        #expect(got.contains { $0.hasPrefix("h2 truncate 200 ") && $0.hasSuffix("code 1") }, "\(got)")
        #expect(got.contains { $0.hasPrefix("h2 goaway 0 0 ") && $0.hasSuffix("goaway 0") }, "\(got)")
        #expect(got.contains { $0.hasPrefix("h2 close-100 200 100 ") && !$0.hasSuffix("code 0") }, "\(got)")
        try shunt.stop()
    }

    @Test(.extended) func `Java sees each fault`() throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--no-store"])
        let got = try lines("java", [client("FaultClient.java"), "\(shunt.port)"] + Self.names)
        for line in [
            "close HTTP/1.1 header parser received no bytes", "truncate fixed content-length: 2000, bytes received: 16",
            "close-100 fixed content-length: 2000, bytes received: 100", "corrupt 200 2000", "slice 200 2000",
            "status 502 29", "slow-close 200 2000",
        ] { #expect(got.contains(line), "\(line) is not among \(got)") }
        #expect(got.contains { $0.hasPrefix("close-in-head parsing HTTP/1.1 header") }, "\(got)")
        try shunt.stop()
    }

    @Test(.extended) func `Chromium sees each fault`() throws {
        let shunt = try ServingShunt(["local": Self.profile], ["--no-store"])
        let browser = try #require(
            ["chromium", "google-chrome"].map { "/usr/bin/" + $0 }.first {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        let result = try ChildProcess.run(
            browser,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(shunt.folder.path)/chromium",
                "--virtual-time-budget=20000", "--dump-dom", "http://127.0.0.1:\(shunt.port)/page",
            ],
            directory: shunt.folder.path, seconds: 120)
        for entry in [
            "reset TypeError", "close TypeError", "close-after-head 200 TypeError", "truncate 200 TypeError",
            "corrupt 200 2000", "slice 200 2000", "status 502 29", "hang TypeError", "slow-close 200 2000",
        ] { #expect(result.output.contains("[\(entry)]"), "\(entry) is not in \(result)") }
        try shunt.stop()
    }
}
