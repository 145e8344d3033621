import Foundation
import TestSupport
import Testing

/// `"miss": "record"`: a recording that fills itself.
@Suite struct RecordMissTests {
    private static func origin(_ body: String = #"{"token": "s3cr3t", "n": 1}"#) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(body)")
        }
    }

    private static func profile(_ origin: ScriptedOrigin) -> [String: String] {
        [
            "local": #"""
            {"kind": "local", "routes": [
              {"recording": "shop", "miss": "record", "origin": "http://127.0.0.1:\#(origin.port)"}]}
            """#
        ]
    }

    private func entries(_ shunt: ServingShunt) -> Int {
        (try? shunt.run("recordings", "show", "shop").output.split(separator: "\n").count) ?? 0
    }

    @Test func `what was not recorded is added, and responds from then on without the origin`() throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let shunt = try ServingShunt(Self.profile(origin))
        func ask(_ path: String) throws -> ChildProcess.Result {
            try shunt.curl("-i", "-H", "Host: api.shop.test", "http://127.0.0.1:\(shunt.port)\(path)")
        }
        #expect(try ask("/a").output.contains(#""n": 1"#))
        #expect(eventually { entries(shunt) == 1 })
        #expect(try !shunt.folder.read("Recordings/shop.har").contains("s3cr3t"))
        // It is read again when it stands still.
        #expect(eventually { shunt.process.errors.contains("read again") })
        let connections = origin.connectionCount
        #expect(try ask("/a").output.contains("recording=shop; entry=1"))
        #expect(origin.connectionCount == connections)
        let reloads = shunt.process.errors.components(separatedBy: "read again").count
        #expect(try ask("/b").output.contains(#""n": 1"#) && origin.connectionCount > connections)
        #expect(eventually { entries(shunt) >= 2 })
        #expect(shunt.process.errors.components(separatedBy: "read again").count <= reloads + 1)
        try shunt.stop()
    }

    @Test func `a part of a text that is not kept is not added, and its origin responds each time`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-8/9\r\n"
                    + "Content-Length: 4\r\nConnection: close\r\n\r\npart")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(Self.profile(origin))
        for path in ["/part", "/part", "/part?last"] {
            let result = try shunt.curl(
                "-H", "Host: a.test", "-H", "Range: bytes=5-8", "http://127.0.0.1:\(shunt.port)\(path)")
            #expect(result.output == "part")
        }
        #expect(origin.connectionCount == 3)
        #expect(eventually { (try? shunt.run("logs").output.contains("?last")) == true })
        try shunt.stop()
        #expect(entries(shunt) == 0)
    }

    @Test func `a response of which a part was not kept is not added`() throws {
        let origin = Self.origin(String(repeating: "x", count: 4000))
        defer { origin.stop() }
        let shunt = try ServingShunt(Self.profile(origin), ["--store-body", "1k"])
        let result = try shunt.curl("-H", "Host: a.test", "http://127.0.0.1:\(shunt.port)/big")
        #expect(result.output.utf8.count == 4000)
        #expect(eventually { (try? shunt.run("logs").output.contains("/big")) == true })
        try shunt.stop()
        #expect(entries(shunt) == 0)
    }

    @Test func `without an origin there is nothing to record`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/local.json", #"{"kind": "local", "routes": [{"recording": "shop", "miss": "record"}]}"#)
        let result = try ChildProcess.run(ShuntBinary.path, ["validate"], directory: folder.path)
        #expect(result.status != 0)
        #expect(
            (result.output + result.errors).contains(#""miss" is "record" on a route without an origin"#), "\(result)")
    }
}
