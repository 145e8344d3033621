import Foundation
import JSON
import TestSupport
import Testing

/// Files of this machine as responses of the real program, beside nginx and with real clients.
@Suite struct FileServingTests {
    private static func profile(_ route: String) -> [String: String] {
        ["local": #"{"kind": "local", "routes": [\#(route)]}"#]
    }

    /// Status line and fields of a response, apart from what is each server's own.
    private static func facts(_ port: UInt16, _ method: String, _ path: String, _ fields: [String]) throws -> [String] {
        let connection = try RawConnection.connect(port)
        try connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined()
                + "Connection: close\r\n\r\n")
        let parts = try connection.readToEnd().components(separatedBy: "\r\n\r\n")
        var facts = [String((parts.first ?? "").prefix(12))]
        let compared = ["content-length", "content-range", "accept-ranges", "last-modified", "allow"]
        for line in (parts.first ?? "").components(separatedBy: "\r\n").dropFirst() {
            let name = String(line.prefix { $0 != ":" }).lowercased()
            let isError = facts[0] >= "HTTP/1.1 3"
            if compared.contains(name), !(isError && name == "content-length") {
                facts.append(name + line.dropFirst(name.count))
            }
        }
        let isWhole = facts[0] == "HTTP/1.1 200" || facts[0] == "HTTP/1.1 206"
        return facts.sorted() + (isWhole ? [parts.dropFirst().joined(separator: "\r\n\r\n")] : [])
    }

    @Test func `nginx and Shunt say the same of the same file`() throws {
        let nginx = try NginxOrigin(files: ["a.txt": "0123456789", "sub/index.html": "<p>sub</p>"])
        let shunt = try ServingShunt(
            Self.profile(#"{"path": "/*", "files": "\#(nginx.folder.path)/www", "cache": "as-is"}"#))
        let connection = try RawConnection.connect(nginx.plainPort)
        try connection.send("HEAD /a.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let date = try #require(
            try connection.readToEnd().components(separatedBy: "\r\n").first { $0.hasPrefix("Last-Modified: ") }
        )
        .dropFirst("Last-Modified: ".count)
        let requests: [(String, String, [String])] = [
            ("GET", "/a.txt", []), ("HEAD", "/a.txt", []), ("GET", "/sub/", []), ("GET", "/gone", []),
            ("POST", "/a.txt", []),
            ("GET", "/a.txt", ["If-Modified-Since: \(date)"]), ("GET", "/a.txt", ["If-Unmodified-Since: \(date)"]),
            ("GET", "/a.txt", ["If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]),
            ("GET", "/a.txt", ["If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]),
            ("GET", "/a.txt", ["If-None-Match: \"x\""]), ("GET", "/a.txt", ["If-None-Match: *"]),
            ("GET", "/a.txt", ["If-Match: \"x\""]), ("GET", "/a.txt", ["If-Match: *"]),
            ("GET", "/a.txt", ["Range: bytes=2-4"]), ("GET", "/a.txt", ["Range: bytes=-3"]),
            ("GET", "/a.txt", ["Range: bytes=7-"]), ("GET", "/a.txt", ["Range: bytes=7-700"]),
            ("GET", "/a.txt", ["Range: bytes=10-"]), ("GET", "/a.txt", ["Range: bytes=0-6,3-9"]),
            ("GET", "/a.txt", ["Range: bytes=2-4", "If-Range: \(date)"]),
            ("GET", "/a.txt", ["Range: bytes=2-4", "If-Range: \"x\""]), ("GET", "/a.txt", ["Range: lines=1-2"]),
        ]
        for (method, path, fields) in requests {
            let theirs = try Self.facts(nginx.plainPort, method, path, fields)
            var ours = try Self.facts(shunt.port, method, path, fields)
            // Which methods there are, RFC 9110 15.5.6 wants to be told; nginx does not.
            ours.removeAll { $0.hasPrefix("allow") }
            // nginx leaves it out of parts.
            if ours.contains("HTTP/1.1 206") { ours.removeAll { $0.hasPrefix("accept-ranges") } }
            let isError = ours.contains { $0 >= "HTTP/1.1 3" && $0 < "HTTP/1.2" }
            let plain = { (facts: [String]) in isError ? facts.filter { $0.hasPrefix("HTTP") } : facts }
            #expect(plain(ours) == plain(theirs), "\(method) \(path) \(fields)")
        }
    }

    @Test(.extended, arguments: ["plain", "TLS", "HTTP/2"])
    func `a file of 4 GiB is sent whole in little memory`(how: String) throws {
        let folder = try TemporaryFolder()
        let size: UInt64 = 4 << 30
        let path = folder.path + "/huge.bin"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: size)
        let shunt = try ServingShunt(Self.profile(#"{"path": "/*", "files": "\#(folder.path)"}"#))
        let url = how == "TLS" ? "https://localhost:\(shunt.port)" : "http://127.0.0.1:\(shunt.port)"
        _ = try shunt.curl("-o", "/dev/null", url + "/none")
        let before = try #require(shunt.peakKiB)
        let version = how == "HTTP/2" ? "--http2-prior-knowledge" : "--http1.1"
        let result = try shunt.curl(
            version, "-o", "/dev/null", "-w", "%{http_code} %{http_version} %{size_download}", url + "/huge.bin")
        #expect(result.output == "200 \(how == "HTTP/2" ? "2" : "1.1") \(size)", "\(result.errors)")
        let after = try #require(shunt.peakKiB)
        if ShuntBinary.isRelease { #expect(after - before < 24 << 10, "from \(before) to \(after) KiB") }
    }

    @Test func `explain and the log say that files respond`() throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "home")
        let shunt = try ServingShunt(
            Self.profile(
                #"{"files": "\#(folder.path)/site", "origin": "http://localhost:9", "fallthrough": true}"#),
            ["--log", "json"])
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/").output == "home")
        let explained = try shunt.run("explain", "/x").output
        #expect(explained.contains("first    files: \(folder.path)/site (the origin for what is not there)"))
        #expect(explained.contains("origin   http://localhost:9/x"), "\(explained)")
        let json = try JSONReader.read(try shunt.run("explain", "/x", "--json").output)
        #expect(json["files"]?["path"]?.string == folder.path + "/site")
        let (port, served) = (shunt.port, shunt)
        #expect(eventually { (try? served.run("logs").output.contains("GET http://127.0.0.1:\(port)/ 200")) == true })
    }

    @Test(.extended) func `a browser routes by itself, and shows what was changed`() throws {
        func program(_ names: String...) throws -> String {
            let found = try ChildProcess.run(
                "/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
            let path = found.output.split(separator: "\n").first.map(String.init)
            return try #require(path, "none of \(names) is installed: run `make setup-test`")
        }
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<!doctype html><body><script src=\"/app/app.js\"></script></BODY></html>")
        try folder.write("site/app.js", "document.body.append('one ' + location.pathname)")
        let shunt = try ServingShunt(
            Self.profile(
                #"{"path": "/app/*", "files": "\#(folder.path)/site", "spa": "index.html", "reload": true}"#))
        let result = try ChildProcess.run(
            "/usr/bin/env",
            [
                "python3", "-B", SampleApp.scripts + "/files.py", try program("chromedriver"),
                try program("chromium", "google-chrome"), "http://127.0.0.1:\(shunt.port)", folder.path + "/site",
            ], directory: folder.path, seconds: 120)
        #expect(
            result.output == #"["one /app/users/7", "two /app/users/7", "three", "four"]"# + "\n", "\(result.errors)")
    }
}
