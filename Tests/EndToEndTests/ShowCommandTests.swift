import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

@Suite struct ShowCommandTests {
    let store: RecordedStore
    var shunt: Shunt { store.shunt }
    init() throws { store = try RecordedStore() }

    private static let sent = "POST /v1/cart HTTP/1.1\r\nHost: localhost:4884\r\nAccept: */*\r\nCookie: a=1\r\n\r\n"
    private static let got = "POST /v1/cart HTTP/1.1\r\nHost: api.shop.test\r\nAccept: */*\r\nCookie: a=1\r\n\r\n"
    private static let response = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

    private func piece(_ body: [UInt8]) -> RecordedPiece {
        var exchange = RecordedStore.exchange()
        exchange.method = "POST"
        exchange.profile = "staging"
        exchange.reason = "header"
        exchange.route = "api.shop.test/v1/*"
        exchange.responder = "origin"
        exchange.rewritten = ["-cookie"]
        exchange.attempts = [.init(origin: "https://first.test", outcome: "refused")]
        exchange.origin = .init(
            url: "https://origin.test", address: "192.0.2.1:443", isReused: true, tls: "TLSv1.3", isResumed: true,
            trust: "default", trustDecision: "verified", version: "HTTP/1.1")
        exchange.timings.wait = 9000
        exchange.failure = .init(side: "client", stage: "deliver", message: "went away")
        exchange.bytes.response = UInt64(body.count)
        return RecordedStore.piece(
            1, exchange,
            parts: [
                (.clientRequest, Array(Self.sent.utf8)), (.originRequest, Array(Self.got.utf8)),
                (.requestBody, Array("x=1".utf8)), (.originResponse, Array(Self.response.utf8)),
                (.clientResponse, Array(Self.response.utf8)), (.responseBody, body),
                (.responseTrailers, Array("Digest: x\r\n".utf8)),
                (
                    .message(.init(time: 1_700_000_000_000_000, sender: .client, kind: .text, length: 9)),
                    Array("{\"m\":[1]}".utf8)
                ),
            ])
    }

    @Test func `facts, heads, what was changed, bodies and messages are shown`() throws {
        try store.record([piece(Array("{\"banner\":null}".utf8))])
        let result = try shunt.run("show", "1")
        #expect(result.status == 0 && result.errors.isEmpty)
        let lines = result.output.split(separator: "\n").map(String.init)
        let expected = [
            "#1  POST https://api.shop.test/v1/cart 200", "  started    2023-11-14T22:13:20.123Z",
            "  client     [::1]:5000, HTTP/1.1, TLSv1.3", "  profile    staging, by header",
            "  route      api.shop.test/v1/*", "  tried      https://first.test: refused", "  response   by origin",
            "  origin     https://origin.test, at 192.0.2.1:443, HTTP/1.1, TLSv1.3 resumed, reused connection",
            "  trust      default: verified", "  rewritten  -cookie", "  failed     client/deliver: went away",
            "REQUEST as the client sent it", "  Host: localhost:4884",
            "REQUEST as the origin got it, what is different",
            "  - Host: localhost:4884", "  + Host: api.shop.test", "  x=1",
            "RESPONSE as the origin sent it and as the client got it",
            "  HTTP/1.1 200 OK", "    \"banner\": null",
            "  trailers", "    Digest: x", "MESSAGES (1)", "    {", "      \"m\": [",
        ]
        var rest = lines[...]
        for line in expected {
            let place = rest.firstIndex(of: line)
            #expect(place != nil, "“\(line)” is missing, or too late: \(result.output)")
            if let place { rest = rest[(place + 1)...] }
        }
        #expect(lines.count { $0.contains("Accept: */*") } == 1)
        #expect(try shunt.run("show", "#1").output == result.output)
    }

    @Test func `JSON has everything`() throws {
        try store.record([piece([0xFF, 0x00, 0x41])])
        let value = try JSONReader.read(try shunt.run("show", "1", "--json").output, dialect: .strict)
        #expect(value["id"]?.number?.int64 == 1)
        #expect(value["heads"]?["client_request"]?.string == Self.sent)
        #expect(value["heads"]?["origin_request"]?.string == Self.got)
        #expect(value["trailers"]?["response"]?.string == "Digest: x\r\n")
        #expect(value["bodies"]?["request"]?["text"]?.string == "x=1")
        #expect(value["bodies"]?["response"]?["base64"]?.string == "/wBB")
        #expect(value["bodies"]?["response"]?["cut"]?.bool == false)
        #expect(value["messages"]?.array?.first?["text"]?.string == "{\"m\":[1]}")
        #expect(value["attempts"]?.array?.count == 1)
    }

    @Test func `raw bodies are the bytes`() throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try store.record([piece(bytes)])
        let target = shunt.folder.path + "/out"
        let script = "'\(ShuntBinary.path)' show 1 --raw response > '\(target)'"
        let result = try ChildProcess.run("/bin/sh", ["-c", script], directory: shunt.folder.path)
        #expect(result.status == 0)
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: target))) == bytes)
        #expect(try shunt.run("show", "1", "--raw", "request").output == "x=1")
    }

    @Test func `what was cut, or is not there, is told`() throws {
        try store.record([piece([UInt8](repeating: 0x20, count: 100))], bodyLimit: 10)
        #expect(try shunt.run("show", "1").output.contains("(cut: 10B are kept, 100B went over the wire)"))
        let missing = try shunt.run("show", "2")
        #expect(missing.status == 1 && missing.output.isEmpty)
        #expect(missing.errors.contains("there is no exchange 2") && missing.errors.contains("The newest one is 1."))
    }

    @Test func `on a terminal long bodies are cut, bytes are refused, and clear asks`() throws {
        let lines = (1...500).map { "line \($0)\n" }.joined()
        try store.record([
            RecordedStore.piece(1, parts: [(.responseBody, Array(lines.utf8))]),
            RecordedStore.piece(2, parts: [(.responseBody, [0x41, 0x1B, 0x5B])]),
        ])
        func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            try Self.onTerminal(arguments, shunt.folder.path)
        }
        let short = try run("show", "1").output
        #expect(short.contains("line 200\r\n") && !short.contains("line 201") && short.contains("--all shows more"))
        #expect(try run("show", "1", "--all").output.contains("line 500\r\n"))
        #expect(try run("show", "1", "--raw", "response").output.hasSuffix("line 500\r\n"))
        let raw = try run("show", "2", "--raw", "response")
        #expect(raw.status == 1 && raw.output.contains("--raw response > FILE") && !raw.output.contains("\u{1b}"))
        #expect(try run("logs").output.contains("\u{1b}[32m200"))
        #expect(try !run("logs", "--no-color").output.contains("\u{1b}"))
        // Nobody responds: the end of the input comes at once.
        let asked = try run("clear", "/v1")
        #expect(asked.status == 1 && asked.output.contains("Remove 2 exchanges from .shunt/traffic.db? [y/N]"))
        #expect(try shunt.run("logs").output.split(separator: "\n").count == 2)
    }

    /// Runs `shunt` with a terminal for all of its input and output.
    private static func onTerminal(_ arguments: [String], _ folder: String) throws -> (status: Int32, output: String) {
        var (leader, follower): (Int32, Int32) = (-1, -1)
        try #require(openpty(&leader, &follower, nil, nil, nil) == 0)
        let terminal = FileHandle(fileDescriptor: follower, closeOnDealloc: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ShuntBinary.path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ["TERM": "xterm"]
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        // End of input (termios VEOF), for whoever reads.
        _ = write(leader, [4], 1)
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        try terminal.close()
        // Reading fails when nobody has the other end any more.
        while case let count = read(leader, &chunk, chunk.count), count > 0 { output += chunk[..<count] }
        close(leader)
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test func `statistics have groups, a total and the size`() throws {
        try store.record(
            (1...30).map { number in
                let host = number.isMultiple(of: 3) ? "a" : "b"
                var exchange = RecordedStore.exchange("https://\(host).test/", status: 200 + number % 2)
                if number == 1 { exchange.failure = .init(side: "origin", stage: "wait", message: "no") }
                exchange.bytes.response = 1000
                return RecordedStore.piece(UInt64(number), exchange, parts: [(.responseBody, Array("\(number)".utf8))])
            })
        let text = try shunt.run("stats").output.split(separator: "\n").map(String.init)
        #expect(text[0].split(separator: " ") == ["host", "count", "failed", "request", "response", "p50", "p95"])
        #expect(text[1].split(separator: " ").prefix(5) == ["b.test", "20", "1", "0B", "20.0kB"])
        #expect(text[3].split(separator: " ").prefix(5) == ["total", "30", "1", "0B", "30.0kB"])
        #expect(text[4].hasPrefix("The store takes up "))
        let json = try JSONReader.read(try shunt.run("stats", "~b '^1'", "--by", "status", "--json").output)
        #expect(json["total"]?["count"]?.number?.int64 == 11)
        #expect(json["groups"]?.array?.compactMap { $0["name"]?.string } == ["201", "200"])
        #expect((json["store_bytes"]?.number?.int64 ?? 0) > 0)
    }

    @Test func `clear removes what a filter finds, or everything, and never without a yes`() throws {
        try store.record(
            (1...20).map { RecordedStore.piece(UInt64($0), RecordedStore.exchange("https://a.test/\($0)")) })
        let refused = try shunt.run("clear")
        #expect(refused.status == 64 && refused.errors.contains("--yes"))
        #expect(try shunt.run("clear", "--yes", "/1.$").output.hasPrefix("10 exchanges removed; the store takes up "))
        #expect(try shunt.run("logs").output.split(separator: "\n").count == 10)
        let json = try JSONReader.read(try shunt.run("clear", "-y", "--json").output)
        #expect(json["removed"]?.number?.int64 == 10)
        #expect(try shunt.run("logs").output.isEmpty)
    }
}
