import Exchanges
import Foundation
import HTTP2
import TestSupport
import Testing

/// Files of this machine as responses.
@Suite struct FileTests {
    private static func site() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>home</p>")
        try folder.write("site/app.js", "let a = 1\n")
        try folder.write("site/docs/index.html", "<p>docs</p>")
        try folder.write("site/docs/a b&<c>.txt", "named")
        try folder.write("site/empty.txt", "")
        try folder.write("site/.env", "SECRET=1")
        try folder.write("site/plain/x.txt", "0123456789")
        try folder.write("secret.txt", "secret")
        return folder
    }

    private static func start(
        _ folder: TemporaryFolder, _ more: String = "", path: String = "/*", others: String = ""
    ) async throws -> Harness {
        let route = #"{"path": "\#(path)", "files": "\#(folder.path)/site"\#(more)}"#
        return try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [\#(route)\#(others)]}"#], active: "only")
    }

    @Test(arguments: ClientKind.allCases)
    func `a file is sent with what tells its state`(client: ClientKind) async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder)
        let port = harness.port
        let (get, head, none) = try await blocking {
            (
                try client.ask(port, "GET", "/app.js?v=1"), try client.ask(port, "HEAD", "/app.js"),
                try client.ask(port, "GET", "/empty.txt")
            )
        }
        await harness.stop()
        #expect(get.status.hasSuffix(" 200") && get.body == "let a = 1\n")
        #expect(get["content-type"] == "text/javascript; charset=utf-8" && get["content-length"] == "10")
        #expect(
            get["accept-ranges"] == "bytes" && get["cache-control"] == "no-cache" && get["vary"] == "Accept-Encoding")
        #expect(get["etag"]?.hasPrefix("\"") == true && get["last-modified"]?.hasSuffix(" GMT") == true)
        #expect(get["shunt-answered-by"] == #"only; route="*"; files"#)
        #expect(head.status.hasSuffix(" 200") && head.body.isEmpty)
        #expect(
            head.fields.filter { !$0.lowercased().hasPrefix("date:") }
                == get.fields.filter {
                    !$0.lowercased().hasPrefix("date:")
                })
        #expect(none.status.hasSuffix(" 200") && none.body.isEmpty && none["content-length"] == "0")
        #expect(harness.log.exchanges.map(\.responder) == ["files", "files", "files"])
        #expect(harness.log.exchanges.map(\.bytes.response) == [10, 0, 0])
    }

    @Test(
        arguments: [
            ("/", "", 200, "<p>home</p>"), ("/docs/", "", 200, "<p>docs</p>"), ("/docs", "", 301, "/docs/"),
            ("/docs?a=b", "", 301, "/docs/?a=b"), ("/docs/a%20b&%3Cc%3E.txt", "", 200, "named"),
            ("/plain", "", 404, "plain"),
            ("/plain/", "", 404, "index.html"), ("/plain", #", "listing": true"#, 301, "/plain/"),
            ("/plain/", #", "listing": true"#, 200, "href=\"./x.txt\""),
            (
                "/docs/", #", "listing": true, "index": []"#, 200,
                "href=\"./a%20b%26%3Cc%3E.txt\">a b&amp;&lt;c&gt;.txt</a>"
            ),
            ("/", #", "listing": true, "index": "none""#, 200, "docs/"), ("/gone.js", "", 404, "site/gone.js"),
            ("/app.js/", "", 404, "index.html"), ("/.env", "", 404, "names no file"),
            ("/a%2fb", "", 404, "names no file"),
            ("/../secret.txt", "", 404, "secret.txt"), ("/docs", #", "index": ["none", "index.html"]"#, 301, "/docs/"),
            ("/users/7", #", "spa": "index.html""#, 200, "<p>home</p>"),
            ("/users/7.js", #", "spa": "index.html""#, 404, "7.js"),
            ("/plain", #", "spa": "index.html""#, 200, "<p>home</p>"),
            ("/users/", #", "spa": "gone.html""#, 404, "users"),
        ] as [(String, String, Int, String)])
    func `a path leads to a file, an index, a redirect or nowhere`(
        path: String, more: String, status: Int, text: String
    ) async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder, more)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", path) }
        await harness.stop()
        #expect(seen.status == "HTTP/1.1 \(status)")
        #expect(status == 301 ? seen["location"] == text : seen.body.contains(text), "\(seen)")
        if status == 404 { #expect(!seen.body.contains("SECRET") && !seen.body.hasPrefix("secret")) }
    }

    #if canImport(Darwin) || SHUNT_KQUEUE
    @Test(arguments: ClientKind.allCases)
    func `no file is sent under a name that only the file system takes for its own`(client: ClientKind) async throws {
        foldNames()
        let folder = try Self.site()
        for name in [".git/config", "Caf\u{E9}.txt"] { try folder.write("site/" + name, "SECRET") }
        #expect(symlink(".git", folder.path + "/site/dots") == 0)
        let harness = try await Self.start(folder, #", "listing": true"#)
        let port = harness.port
        let hidden = [
            "/.env", "/.ENV", "/%E2%80%8D.env", "/.%E2%80%8Denv", "/%E2%80%8C.git/config", "/%EF%BB%BF.GIT/config",
            "/%E2%80%8D.git/", "/Dots/config", "/dots/CONFIG", "/APP.js", "/Docs/", "/docs/INDEX.html",
        ]
        let (refused, sent) = try await blocking {
            (
                try hidden.map { try client.ask(port, "GET", $0) },
                try ["/Caf%C3%A9.txt", "/Cafe%CC%81.txt", "/app.js"].map { try client.ask(port, "GET", $0) }
            )
        }
        await harness.stop()
        for (path, seen) in zip(hidden, refused) {
            #expect(seen.status.hasSuffix(" 404") && !seen.body.contains("SECRET"), "\(path): \(seen)")
        }
        #expect(sent.allSatisfy { $0.status.hasSuffix(" 200") })
    }
    #endif

    @Test(arguments: [
        ("/users/7.5", "text/html,application/xhtml+xml,*/*;q=0.8", 200), ("/users/7", "*/*", 200),
        ("/users/7", "application/json", 404), ("/users/7.js", "*/*", 404),
    ])
    func `a page of a client-side router is one that a browser asks for`(
        path: String, accept: String, status: Int
    ) async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder, #", "spa": "index.html""#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, "GET", path, fields: "Accept: \(accept)\r\n") }
        await harness.stop()
        #expect(seen.status == "HTTP/1.1 \(status)")
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
    func `other methods than GET and HEAD are refused by name`(method: String) async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder)
        let port = harness.port
        let seen = try await blocking {
            try ClientKind.h1.ask(port, method, "/app.js", body: method == "POST" ? "abc" : nil)
        }
        await harness.stop()
        #expect(seen.status == "HTTP/1.1 405" && seen["allow"] == "GET, HEAD")
    }

    @Test(arguments: ClientKind.allCases)
    func `conditions and ranges count`(client: ClientKind) async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder)
        let port = harness.port
        try await blocking {
            let first = try client.ask(port, "GET", "/plain/x.txt")
            let (tag, date) = (first["etag"] ?? "", first["last-modified"] ?? "")
            func ask(_ fields: String...) throws -> Seen {
                try client.ask(port, "GET", "/plain/x.txt", fields: fields.map { $0 + "\r\n" }.joined())
            }
            for same in [
                try ask("If-None-Match: \(tag)"), try ask("If-None-Match: \"x\", W/\(tag)"),
                try ask("If-None-Match: \(tag)", "If-Modified-Since: \(date)", "Range: bytes=0-1"),
            ] {
                #expect(same.status.hasSuffix(" 304") && same.body.isEmpty, "\(same)")
                #expect(same["etag"] == tag && same["cache-control"] == "no-cache" && same["content-length"] == nil)
                #expect(same["date"] != nil && same["vary"] == "Accept-Encoding" && same["content-type"] == nil)
            }
            #expect(try ask("If-Match: \"x\"").status.hasSuffix(" 412"))
            // The time alone may be that of another environment's file.
            #expect(try ask("If-Modified-Since: \(date)").status.hasSuffix(" 200"))
            let part = try ask("Range: bytes=2-4", "If-Range: \(tag)")
            #expect(part.status.hasSuffix(" 206") && part.body == "234" && part["content-range"] == "bytes 2-4/10")
            #expect(try ask("Range: bytes=-3").body == "789")
            #expect(try ask("Range: bytes=2-4", "If-Range: \"old\"").body == "0123456789")
            let none = try ask("Range: bytes=10-")
            #expect(none.status.hasSuffix(" 416") && none["content-range"] == "bytes */10" && none.body.isEmpty)
            let several = try ask("Range: bytes=0-1,-2")
            let boundary = String(several["content-type"]?.split(separator: "=").last ?? "")
            #expect(several.status.hasSuffix(" 206"))
            let type = "Content-Type: text/plain; charset=utf-8"
            #expect(
                several.body
                    == [
                        "--\(boundary)", type, "Content-Range: bytes 0-1/10", "", "01", "--\(boundary)", type,
                        "Content-Range: bytes 8-9/10", "", "89", "--\(boundary)--", "",
                    ].joined(separator: "\r\n"))
            let head = try client.ask(port, "HEAD", "/plain/x.txt", fields: "Range: bytes=2-4\r\n")
            #expect(head.status.hasSuffix(" 200") && head["content-length"] == "10")
        }
        await harness.stop()
    }

    @Test func `a compressed copy beside the file is sent to those who take it`() async throws {
        let folder = try Self.site()
        for (ending, text) in [(".br", "in br"), (".gz", "in gzip"), (".zst", "in zstd")] {
            try folder.write("site/app.js" + ending, text)
        }
        try folder.write("site/docs/index.html.gz", "old")
        var old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(utimensat(-100, folder.path + "/site/docs/index.html.gz", &old, 0) == 0)
        let harness = try await Self.start(folder)
        let port = harness.port
        try await blocking {
            for (accept, coding, text) in [
                ("br, gzip", "br", "in br"), ("gzip", "gzip", "in gzip"), ("zstd, gzip", "zstd", "in zstd"),
                ("br;q=0, *;q=0.1, gzip", "gzip", "in gzip"), ("deflate", nil, "let a = 1\n"),
            ] as [(String, String?, String)] {
                let seen = try ClientKind.h1.ask(port, "GET", "/app.js", fields: "Accept-Encoding: \(accept)\r\n")
                #expect(seen.body == text && seen["content-encoding"] == coding)
                #expect(seen["content-type"] == "text/javascript; charset=utf-8" && seen["vary"] == "Accept-Encoding")
            }
            let stale = try ClientKind.h1.ask(port, "GET", "/docs/", fields: "Accept-Encoding: gzip\r\n")
            #expect(stale.body == "<p>docs</p>" && stale["content-encoding"] == nil)
        }
        await harness.stop()
    }

    @Test(arguments: [
        ("GET", "/app.js", "let a = 1\n"), ("GET", "/v1/cart", "from the origin"),
        ("POST", "/app.js", "from the origin"),
        ("GET", "/.env", "from the origin"), ("GET", "/a%2fb", "from the origin"), ("GET", "/", "<p>home</p>"),
    ])
    func `what is not there is the origin's to respond`(method: String, path: String, text: String) async throws {
        let folder = try Self.site()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\nfrom the origin")
        }
        let harness = try await Self.start(
            folder, #", "origin": "http://127.0.0.1:\#(origin.port)", "fallthrough": true, "spa": "index.html""#)
        let port = harness.port
        let seen = try await blocking { try ClientKind.h1.ask(port, method, path, body: method == "POST" ? "" : nil) }
        await harness.stop()
        #expect(seen.body == text)
        #expect(origin.connectionCount == (text == "from the origin" ? 1 : 0))
        origin.stop()
    }

    @Test func `production behind the files stays guarded`() async throws {
        let folder = try Self.site()
        let harness = try await Harness.start(
            profiles: [
                "only": #"""
                {"kind": "production", "routes": [
                  {"path": "/*", "files": "\#(folder.path)/site", "origin": "http://127.0.0.1:9", "fallthrough": true}]}
                """#
            ], active: "only")
        let port = harness.port
        let (file, write) = try await blocking {
            (try ClientKind.h1.ask(port, "GET", "/app.js"), try ClientKind.h1.ask(port, "POST", "/app.js", body: "x"))
        }
        await harness.stop()
        #expect(file.body == "let a = 1\n")
        #expect(write.status == "HTTP/1.1 403" && write.body.contains("Read-only"), "\(write)")
    }

    @Test func `a profile of files leaves a chain's next candidate what it does not have`() async throws {
        let folder = try Self.site()
        let harness = try await Harness.start(
            profiles: [
                "site": #"{"kind": "local", "routes": [{"files": "\#(folder.path)/site"}]}"#,
                "rest": #"{"kind": "local", "routes": [{"mock": {"text": "the rest"}}]}"#,
                "only": #"{"kind": "local", "routes": [{"origin": ["profile:site", "profile:rest"]}]}"#,
            ], active: "only")
        let port = harness.port
        let bodies = try await blocking {
            try [("GET", "/app.js"), ("GET", "/gone"), ("POST", "/app.js")].map {
                try ClientKind.h1.ask(port, $0.0, $0.1, body: $0.0 == "POST" ? "" : nil).body
            }
        }
        await harness.stop()
        #expect(bodies == ["let a = 1\n", "the rest", "the rest"])
    }

    @Test func `a route's pages may be read across origins`() async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder, #", "cors": true"#)
        let port = harness.port
        let seen = try await blocking {
            try ClientKind.h1.ask(port, "GET", "/app.js", fields: "Origin: http://a.test\r\n")
        }
        await harness.stop()
        #expect(seen["access-control-allow-origin"] == "http://a.test")
    }

    private static func text(_ size: Int) -> String {
        var text = ""
        for at in 0..<size { text.unicodeScalars.append(UnicodeScalar(UInt8(97 + (at &* 31 ^ at >> 9) % 26))) }
        return text
    }

    @Test(arguments: ClientKind.allCases, [1, 3071, 3073, 65_000, 65_536, 70_000, 3_000_001])
    func `every size arrives whole, and the connection goes on`(client: ClientKind, size: Int) async throws {
        let folder = try Self.site()
        let text = Self.text(size)
        try folder.write("site/large.txt", text)
        let harness = try await Self.start(folder)
        let port = harness.port
        try await blocking {
            if client == .h2c {
                #expect(try client.ask(port, "GET", "/large.txt").body == text)
                return
            }
            let connection = try RawConnection.connect(port)
            for _ in 0..<2 {
                try connection.send("GET /large.txt HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try connection.readHead().contains("Content-Length: \(size)\r\n"))
                #expect(try connection.read(count: size) == text)
            }
        }
        await harness.stop()
        #expect(harness.log.exchanges.allSatisfy { $0.bytes.response == UInt64(size) && $0.failure == nil })
    }

    @Test(arguments: ["shorter", "rewritten"], ClientKind.allCases)
    func `a file that changes while it is sent is cut off`(how: String, client: ClientKind) async throws {
        let folder = try Self.site()
        let path = folder.path + "/site/large.bin"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let size: UInt64 = 64 << 20
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: size)
        let harness = try await Self.start(folder)
        let port = harness.port
        try await blocking {
            func change() throws {
                if how == "shorter" {
                    try file.truncate(atOffset: 1000)
                } else {
                    try file.seek(toOffset: size - 5)
                    try file.write(contentsOf: Data("other".utf8))
                }
            }
            if client == .h2c {
                let wire = try HTTP2Wire.connect(port)
                let recorder = try wire.get("/large.bin")
                try wire.run("head") { !recorder.heads.isEmpty }
                try change()
                try wire.run("end") { recorder.isClosed }
                #expect(recorder.body.count < size && recorder.closeCode != .noError)
            } else {
                let connection = try RawConnection.connect(port, receiveBuffer: 65_536)
                try connection.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try connection.readHead().contains("Content-Length: \(size)\r\n"))
                try change()
                #expect(throws: (any Error).self) { _ = try connection.drain(size) }
            }
        }
        await harness.stop()
        let exchange = try #require(harness.log.exchanges.first)
        #expect(exchange.failure?.message.contains("changed while it was sent") == true)
    }

    @Test func `a client that leaves in the middle harms nobody`() async throws {
        let folder = try Self.site()
        let path = folder.path + "/site/large.bin"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 64 << 20)
        let harness = try await Self.start(folder)
        let (port, log) = (harness.port, harness.log)
        let after = try await blocking {
            for _ in 0..<8 {
                let connection = try RawConnection.connect(port, receiveBuffer: 65_536)
                try connection.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try connection.readHead()
                connection.reset()
            }
            #expect(eventually { log.exchanges.count == 8 })
            return try ClientKind.h1.ask(port, "GET", "/app.js").body
        }
        await harness.stop()
        #expect(after == "let a = 1\n")
    }

    @Test func `what is changed, added and removed counts at once`() async throws {
        let folder = try Self.site()
        let harness = try await Self.start(folder)
        let port = harness.port
        try await blocking {
            let first = try ClientKind.h1.ask(port, "GET", "/app.js")
            try folder.write("site/app.js", "let a = 2\n")
            let tag = "If-None-Match: \(first["etag"] ?? "")\r\n"
            #expect(try ClientKind.h1.ask(port, "GET", "/app.js", fields: tag).body == "let a = 2\n")
            try FileManager.default.removeItem(atPath: folder.path + "/site/app.js")
            #expect(try ClientKind.h1.ask(port, "GET", "/app.js").status == "HTTP/1.1 404")
        }
        await harness.stop()
    }

    @Test func `a listing has ten thousand entries at most, and says that there are more`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("site/a.txt", "")
        for number in 0..<10_001 { #expect(symlink("a.txt", folder.path + "/site/\(number).txt") == 0) }
        let harness = try await Self.start(folder, #", "listing": true, "index": []"#)
        let seen = try await askOnce(harness.port, "GET", "/")
        await harness.stop()
        #expect(seen.body.split(separator: "<li><a href").count - 1 == 10_000)
        #expect(seen.body.contains("more entries than the 10000 listed"))
    }
}
