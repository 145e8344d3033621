import Foundation
import JSON
import TLS
import TestSupport
import Testing

/// `shunt offline` and `"offline": "serve-last"`, with the binary and curl.
@Suite struct OfflineCommandTests {
    private static func profile(_ port: UInt16) -> String {
        #"""
        {"kind": "local", "offline": "serve-last", "routes": [{"path": "/mock", "mock": {"text": "mock"}},
         {"origin": "http://127.0.0.1:\#(port)"}]}
        """#
    }

    @Test func `one device has no origins, another one has, and both have what was kept`() throws {
        let nginx = try NginxOrigin(files: ["page.html": "<p>page</p>\n", "other.html": "<p>other</p>\n"])
        let shunt = try ServingShunt(["local": Self.profile(nginx.plainPort)])
        func get(_ address: String, _ path: String, _ more: String...) throws -> ChildProcess.Result {
            try shunt.curl(["-i", "--interface", address] + more + ["http://127.0.0.1:\(shunt.port)\(path)"])
        }
        let first = try get("127.0.0.2", "/page.html").output
        #expect(first.contains("<p>page</p>") && !first.contains("stale="))
        let chosen = try shunt.run("offline", "on", "--device", "127.0.0.2", "--for", "10m")
        #expect(chosen.output.contains("Device 127.0.0.2: no-origins (origins cannot be reached), until "), "\(chosen)")
        #expect(try shunt.run("status").output.contains("networks     no-origins for 127.0.0.2, see `shunt network`"))
        let kept = try get("127.0.0.2", "/page.html").output
        #expect(kept.contains("network=no-origins; stale=") && kept.contains("<p>page</p>"), "\(kept)")
        let tag = try #require(kept.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }.map { $0.dropFirst(6) })
        #expect(try get("127.0.0.2", "/page.html", "-H", "If-None-Match: \(tag)").output.hasPrefix("HTTP/1.1 304 "))
        #expect(try get("127.0.0.2", "/page.html", "-I").output.contains("Content-Length: 12\r\n"))
        #expect(try get("127.0.0.2", "/other.html").output.hasPrefix("HTTP/1.1 502 "))
        #expect(try get("127.0.0.2", "/mock").output.contains("mock"))
        #expect(try get("127.0.0.3", "/other.html").output.contains("<p>other</p>"))
        let secure = try get("127.0.0.2", "/page.html", "--http2-prior-knowledge").output
        #expect(secure.hasPrefix("HTTP/2 200") && secure.contains("stale="), "\(secure)")
        #expect(try shunt.run("offline", "off", "--device", "127.0.0.2").status == 0)
        #expect(try !get("127.0.0.2", "/page.html").output.contains("stale="))
        // The origin itself is gone now.
        nginx.process.signal(15)
        // While it ends, it still closes connections that it has accepted.
        #expect(eventually { !nginx.process.isRunning })
        #expect(try get("127.0.0.3", "/page.html").output.contains("stale="))
        var json = ""
        // The store is written a moment after the response.
        let isKept = try eventually {
            json = try shunt.run("logs", "~stale", "--json").output
            return json.contains("refused the connection")
        }
        #expect(isKept && json.contains(#""rewritten":["+stale","cache"]"#), "\(json)")
        // None of them was sent anywhere.
        #expect(json.split(separator: "\n").allSatisfy { $0.contains(#""send":null"#) }, "\(json)")
        let number = try #require(
            try JSONReader.read(String(json.split(separator: "\n").last ?? ""))["id"]?.number?.int64)
        let shown = try shunt.run("show", "\(number)").output
        #expect(shown.contains("stale") && shown.contains("refused the connection"), "\(shown)")
        let log = try shunt.stop().errors
        #expect(log.contains("the network of device 127.0.0.2 is no-origins (origins cannot be reached)"), "\(log)")
        #expect(log.contains(" network stale\n"), "\(log)")
    }

    @Test func `a certificate that is not trusted is never hidden by what was kept`() throws {
        let nginx = try NginxOrigin(files: ["page.html": "page"])
        let shunt = try ServingShunt(
            [
                "local": #"""
                {"kind": "local", "routes": [{"origin": "https://localhost:\#(nginx.port)", "offline": "serve-last"}],
                 "trust": {"localhost": {"policy": "default", "certificateAuthorities": ["\#(nginx.authority)"]}}}
                """#
            ], ["--no-store"])
        let url = "http://127.0.0.1:\(shunt.port)/page.html"
        #expect(try shunt.curl(url).output == "page")
        let other = try Identity.selfSigned(host: "localhost")
        try nginx.folder.write("certificate.pem", other.certificatePEM)
        try nginx.folder.write("key.pem", other.keyPEM)
        nginx.process.signal(1)
        var seen: [String] = []
        #expect(
            eventually {
                seen.append((try? shunt.curl("-i", url).output) ?? "")
                return seen.last?.contains("no TLS connection to origin") == true
            })
        #expect(!seen.contains { $0.contains("stale=") }, "\(seen)")
        try shunt.stop()
    }

    @Test func `a response of HTTP/2 under way is broken off`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\nhalf")
            _ = try? connection.readToEnd()
        }
        let shunt = try ServingShunt(["local": Self.profile(origin.port)], ["--no-store"])
        let client = try ChildProcess(
            "/usr/bin/curl",
            ["-sSN", "--http2-prior-knowledge", "-o", shunt.folder.path + "/half", "http://127.0.0.1:\(shunt.port)/"])
        #expect(eventually { (try? shunt.folder.read("half")) == "half" })
        #expect(try shunt.run("offline", "on").status == 0)
        #expect(try client.wait().status != 0)
        #expect(try shunt.run("offline", "off").status == 0)
        origin.stop()
        try shunt.stop()
    }
}
