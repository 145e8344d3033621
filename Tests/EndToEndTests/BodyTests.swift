import Foundation
import TestSupport
import Testing

/// Addresses in bodies, with a client that undoes what codings a body has.
@Suite struct BodyTests {
    private static func document(_ port: UInt16) -> String {
        """
        {"next": "http://127.0.0.1:\(port)/base/items?page=2", "image": "https://cdn.example/a.png",
         "escaped": "http:\\/\\/127.0.0.1:\(port)\\/base\\/x", "other": "http://127.0.0.1:\(port + 1)/base/",
         "text": "\(String(repeating: "nothing to see here. ", count: 5000))"}
        """
    }

    private static func expected(_ port: UInt16, shunt: UInt16) -> String {
        document(port).replacing("http://127.0.0.1:\(port)/base", with: "https://api.shop.test:\(shunt)")
            .replacing("http:\\/\\/127.0.0.1:\(port)\\/base", with: "https:\\/\\/api.shop.test:\(shunt)")
    }

    private final class Port: @unchecked Sendable { var number: UInt16 = 0 }

    /// Every coding in every framing is decoded in memory (`RewritingTests`, `HTTPTests`): here is one row of each.
    @Test(arguments: zip(["identity", "gzip", "br", "zstd"], ["Content-Length", "chunked", "close", "chunked"]))
    func `bodies come with the client's addresses, whatever they are packed in`(coding: String, framing: String) throws
    {
        let port = Port()
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                // What cannot be unpacked must not be asked for.
                guard head.contains("\r\nAccept-Encoding: \(coding)\r\n") else {
                    try connection.send("HTTP/1.1 500 X\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)")
                    continue
                }
                let body = try packed(Self.document(port.number), coding)
                var fields = "ETag: \"x\"\r\nAccept-Ranges: bytes\r\nContent-Type: application/json\r\n"
                if coding != "identity" { fields += "Content-Encoding: \(coding)\r\n" }
                switch framing {
                case "chunked":
                    try connection.send("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
                    for start in stride(from: 0, to: body.count, by: 997) {
                        let piece = body[start..<min(start + 997, body.count)]
                        try connection.send("\(String(piece.count, radix: 16))\r\n")
                        try connection.send(Array(piece) + [0x0D, 0x0A])
                    }
                    try connection.send("0\r\n\r\n")
                case "close":
                    try connection.send("HTTP/1.1 200 OK\r\n\(fields)Connection: close\r\n\r\n")
                    try connection.send(body)
                    return
                default:
                    try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
                    try connection.send(body)
                }
            }
        }
        port.number = origin.port
        let shunt = try ServingShunt([
            "local": """
            {"kind": "local", "routes": [
              {"host": "api.shop.test", "origin": "http://127.0.0.1:\(origin.port)/base", "rewrite": {"bodies": true}}]}
            """
        ])
        let result = try shunt.curl(
            "-H", "Accept-Encoding: \(coding), compress;q=0.5", "-D", "head", "-o", "body", "--resolve",
            "api.shop.test:\(shunt.port):127.0.0.1", "https://api.shop.test:\(shunt.port)/items")
        #expect(result.status == 0, "\(result.errors)")
        let body = try unpacked(shunt.folder.path + "/body", coding)
        #expect(body == Self.expected(origin.port, shunt: shunt.port))
        let head = String(decoding: try shunt.folder.read("head").utf8, as: UTF8.self).lowercased()
        #expect(
            head.contains("etag: w/\"") && head.contains("-x\"") && !head.contains("content-length")
                && !head.contains("accept-ranges"))
        origin.stop()
        let log = try shunt.stop().errors
        #expect(log.contains("rewrote") && log.contains("body"), "\(log)")
    }

    @Test func `what is there goes on at once, and what is cut off is not called whole`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            _ = try connection.read(until: "go")
        }
        let shunt = try ServingShunt([
            "local":
                #"{"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(origin.port)", "rewrite": {"bodies": true}}]}"#
        ])
        let port = shunt.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
            _ = try client.readHead()
            // The origin waits for more before it ends, without the last chunk.
            #expect(try client.read(until: "first").hasSuffix("first"))
            try client.send("go")
            #expect(throws: RawConnection.Failure.self) { _ = try client.read(until: "0\r\n\r\n") }
        }
        origin.stop()
        try shunt.stop()
    }
}

func packed(_ text: String, _ coding: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try folder.write("plain", text)
    let programs = [
        "gzip": "gzip -c plain", "br": "brotli -c plain", "zstd": "zstd -qc plain", "identity": "cat plain",
    ]
    let made = try ChildProcess.run(
        "/bin/sh", ["-c", "\(programs[coding] ?? "false") > packed"], directory: folder.path)
    guard made.status == 0 else { throw ChildProcess.Overdue(description: made.errors) }
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/packed")))
}

private func unpacked(_ path: String, _ coding: String) throws -> String {
    let programs = ["gzip": "gzip -dc", "br": "brotli -dc", "zstd": "zstd -qdc", "identity": "cat"]
    let result = try ChildProcess.run("/bin/sh", ["-c", "\(programs[coding] ?? "false") < '\(path)'"])
    #expect(result.status == 0, "\(result.errors)")
    return result.output
}
