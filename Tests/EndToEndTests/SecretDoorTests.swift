import Bytes
import Foundation
import TestSupport
import Testing

/// Requests and responses with a secret in each place that a failure or a URL quotes: none is written down.
@Suite struct SecretDoorTests {
    private static let secret = "zq7marked9thing"

    /// What stands before the secret wherever it is found.
    private static func leaks(_ text: String) -> [String] {
        text.components(separatedBy: secret).dropLast().map { before in
            PlainText.clean(String(before.split(separator: "\n").last?.suffix(160) ?? "") + secret)
        }
    }

    /// What a client sends, each on a connection of its own.
    private static let requests = [
        "GET http://joe:\(secret)@a.test/ HTTP/1.1\r\nHost: a.test",
        "GET http://joe:\(secret)-and-much-more-of-it-so-that-the-quotation-is-cut-off@a.test/ HTTP/1.1\r\nHost: a.test",
        "GET http://joe:\(secret)/x@a.test/ HTTP/1.1\r\nHost: a.test",
        "CONNECT joe:\(secret)@a.test:443 HTTP/1.1\r\nHost: a.test",
        "CONNECT joe:\(secret)-and-much-more-of-it-so-that-the-quotation-is-cut-off@a.test:443 HTTP/1.1\r\nHost: a",
        "GET / HTTP/1.1\r\nHost: joe:\(secret)@a.test",
        "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization Basic \(secret)",
        "GET /?password=\(secret) and more HTTP/1.1\r\nHost: a.test",
        "GET /?token=\(secret)",
        "GET /reset-password/\(secret)?x=1 HTTP/1.1\r\nHost: a.test",
        "GET /nowhere/verify/\(secret) HTTP/1.1\r\nHost: nowhere.test",
        "GET /?%2570assword=\(secret)&pass%77ord=\(secret) HTTP/1.1\r\nHost: a.test",
        "GET /to/https://joe:\(secret)@b.test/ HTTP/1.1\r\nHost: a.test",
        "GET /?to=https%253A%252F%252Fjoe%253A\(secret)%2540b.test HTTP/1.1\r\nHost: a.test",
        "GET /status HTTP/1.1\r\nHost: a.test\r\nSec-WebSocket-Protocol: bearer, \(secret)",
        "GET /status HTTP/1.1\r\nHost: a.test\r\nReferer: https://a.test/invite/\(secret)\r\nX-From: //joe:\(secret)@b.test",
        "GET /field HTTP/1.1\r\nHost: a.test",
        "GET /reason HTTP/1.1\r\nHost: a.test",
        "GET /chain/status HTTP/1.1\r\nHost: a.test",
        "GET /chain/field HTTP/1.1\r\nHost: a.test\r\nAccept: application/json",
        "GET /chain/field HTTP/1.1\r\nHost: a.test\r\nAccept: text/html",
        "GET /trailers HTTP/1.1\r\nHost: a.test\r\nTE: trailers",
    ]

    /// What an origin sends, by the path.
    private static func response(to head: String) -> String {
        if head.contains("/status ") { return "HTTP/1.1 2x0 see https://joe:\(secret)@b.test/\r\n\r\n" }
        if head.contains("/field ") { return "HTTP/1.1 200 OK\r\nSet-Cookie sid=\(secret)\r\n\r\n" }
        if head.contains("/trailers ") {
            return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Location, X-Next\r\n\r\n1\r\na\r\n0\r\n"
                + "Location: https://joe:\(secret)@b.test/\r\nX-Next: /magic/\(secret)\r\n\r\n"
        }
        return
            "HTTP/1.1 307 see https://joe:\(secret)@b.test/\r\nLocation: https://joe:\(secret)@b.test/reset/\(secret)\r\n"
            + "Link: <https://b.test/?code=\(secret)>; rel=next\r\nRefresh: 1; url=/magic/\(secret)\r\n"
            + "Set-Cookie: a=1; Path=/, b=\(secret)\r\nContent-Length: 0\r\n\r\n"
    }

    @Test(arguments: [["--log", "json"], ["--log", "text"], ["--log", "json", "--no-store"]])
    func `what clients and origins said is nowhere with its secrets`(arguments: [String]) throws {
        let origin = ScriptedOrigin { connection, _ in try connection.send(Self.response(to: try connection.readHead()))
        }
        defer { origin.stop() }
        let url = "http://127.0.0.1:\(origin.port)"
        let shunt = try ServingShunt(
            [
                "local":
                    #"{"kind": "local", "halfClose": true, "routes": [{"host": "a.test", "path": "/chain/*", "origin": ["\#(url)", "\#(url)"]},"#
                    + #"{"host": "a.test", "origin": "\#(url)"}, {"host": "last.test", "mock": {"status": 204}}]}"#
            ], arguments)
        defer { _ = try? shunt.stop() }
        var said = ""
        for request in Self.requests + ["GET /last HTTP/1.1\r\nHost: last.test\r\nConnection: close"] {
            let connection = try RawConnection.connect(shunt.port)
            try connection.send(request + "\r\n\r\n")
            connection.shutdownWrite()
            said += try connection.readToEnd()
        }
        #expect(said.contains(Self.secret), "the client gets what was sent to it")
        #expect(eventually { shunt.process.errors.contains("last.test") })
        var outputs = [("log", shunt.process.errors)]
        if !arguments.contains("--no-store") {
            for command in [
                ["logs", "-n", "100", "--json"], ["logs", "-n", "100"], ["export", "--har"], ["export", "--jsonl"],
                ["show", "1"],
            ] {
                let result = try ChildProcess.run(ShuntBinary.path, command, directory: shunt.folder.path)
                #expect(result.output.contains("redacted"), "\(command) says nothing")
                outputs.append((command.joined(separator: " "), result.output + result.errors))
            }
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: shunt.folder.path + "/.shunt/" + file))
            outputs.append((file, String(decoding: bytes, as: UTF8.self)))
        }
        for (name, text) in outputs {
            for leak in Self.leaks(text) { Issue.record("\(name): \(leak)") }
        }
        #expect(shunt.process.errors.split(separator: "\n").count > Self.requests.count)
    }
}
