import Foundation
import JSON
import Store
import TestSupport
import Testing

/// WebSockets and event streams through Shunt, and what can be seen of them while they flow.
@Suite(.serialized) struct MessageTests {
    /// A frame of a server, or with a mask one of a client.
    private static func frame(_ first: UInt8, _ text: String, isMasked: Bool = false) -> [UInt8] {
        let payload = Array(text.utf8)
        let head: [UInt8] = [first, (isMasked ? 0x80 : 0) | UInt8(payload.count)]
        guard isMasked else { return head + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return head + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }

    private static let upgrade = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n"

    private func lines(_ shunt: ServingShunt, _ arguments: String...) throws -> [JSONValue] {
        try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path).output.split(separator: "\n")
            .map { try JSONReader.read(String($0)) }
    }

    /// The newest exchange's line, if it has ended.
    private func ended(_ shunt: ServingShunt) throws -> String {
        let line = try shunt.run("logs", "-n", "1").output
        return line.contains(" running ") ? "" : line
    }

    private func texts(_ messages: [JSONValue]) -> [String] {
        messages.compactMap { message in
            guard message["exchange"] != nil else { return nil }
            let from = message["from"]?.string == "client" ? ">" : "<"
            return
                "\(from)\(message["kind"]?.string ?? ""): \(message["text"]?.string ?? message["reason"]?.string ?? "")"
        }
    }

    @Test func `a WebSocket is seen message by message while it is open, and kept when it is over`() async throws {
        let (mayRead, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(Self.switching)
            mayRead.wait()
            _ = try connection.readBytes(Self.frame(0x81, "hi", isMasked: true).count)
            try connection.send(Self.frame(0x01, "{\"password\": \"hunter2") + Self.frame(0x89, "p"))
            try connection.send(Self.frame(0x80, "secret\"}"))
            isOver.wait()
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "json"])
        let port = shunt.port
        let client = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade)
            #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
            return client
        }
        // The tunnel is there before anything was said in it.
        #expect(try eventually { try shunt.run("logs").output.contains(" 101 running ") })
        let follower = try ChildProcess(
            ShuntBinary.path, ["logs", "-f", "--messages", "--no-color", "~websocket"], directory: shunt.folder.path)
        #expect(eventually { follower.output.contains(" 101 running ") })
        try client.send(Self.frame(0x81, "hi", isMasked: true))
        mayRead.signal()
        #expect(eventually { follower.output.contains("↑ text 2B hi\n") })
        #expect(eventually { follower.output.contains("↓ text 29B {\"password\": \"<redacted:password:") })
        let shown = try shunt.run("show", "1").output
        #expect(shown.contains("101 (running)") && shown.contains("MESSAGES (3)"), "\(shown)")
        try client.send(Self.frame(0x88, "\u{3}\u{0}", isMasked: true))
        client.close()
        isOver.signal()
        // Its end, although the client was rude and left much unread.
        #expect(try eventually { try ended(shunt).contains(" 101 ") })
        #expect(eventually { follower.output.split(separator: "\n").last?.contains(" 101 ") == true })
        let messages = try lines(shunt, "show", "1", "--messages", "--json")
        try #require(messages.map { $0["number"]?.number?.int64 } == [0, 1, 2, 3])
        #expect(
            texts(messages).map { String($0.prefix(16)) } == [">text: hi", "<ping: p", "<text: {\"passwor", ">close: "])
        #expect(messages[3]["code"]?.number?.int64 == 0x300)
        let har = try JSONReader.read(try shunt.run("export", "--har").output)
        let entry = try #require(har["log"]?["entries"]?.array?.first)
        #expect(entry["_webSocketMessages"]?.array?.map { $0["opcode"]?.number?.int64 } == [1, 9, 1, 8])
        #expect(entry["_webSocketMessages"]?.array?[0]["data"]?.string == "hi")
        let exported = try lines(shunt, "export", "--jsonl")
        #expect(exported[0]["messages"]?.array?.count == 4)
        follower.signal(SIGINT)
        _ = try follower.wait()
        try shunt.stop()
        for file in try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt") {
            let data = try Data(contentsOf: URL(fileURLWithPath: shunt.folder.path + "/.shunt/" + file))
            #expect(data.range(of: Data("hunter2".utf8)) == nil, "\(file)")
        }
        origin.stop()
    }

    @Test func `events are seen one by one while the stream is open, packed or not`() async throws {
        let mayGoOn = DispatchSemaphore(value: 0)
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let isPacked = head.hasPrefix("GET /packed")
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n"
                    + (isPacked ? "Content-Encoding: gzip\r\n\r\n" : "\r\n"))
            for part in isPacked ? Self.packed : Self.plain {
                try connection.send(part)
                mayGoOn.wait()
            }
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "off"])
        for (number, path) in ["plain", "packed"].enumerated() {
            let client = try RawConnection.connect(shunt.port)
            try client.send("GET /\(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            var expected: [String] = []
            for text in ["one", "{\"two\":2}", "three"] {
                expected.append("<event: \(text)")
                let isThere = try eventually {
                    try texts(lines(shunt, "show", "\(number + 1)", "--messages", "--json")) == expected
                }
                #expect(isThere, "\(path): \(text)")
                #expect(try shunt.run("logs", "-n", "1").output.contains(" 200 running "))
                mayGoOn.signal()
            }
            _ = try await blocking { try client.readToEnd() }
            #expect(try eventually { try ended(shunt).contains("/\(path) 200 ") })
            // As many of its messages as exchanges were asked for.
            let listed = try lines(shunt, "logs", "-n", "1", "--messages", "--json")
            #expect(listed.map { $0["text"]?.string } == [nil, "three"])
            let messages = try lines(shunt, "show", "\(number + 1)", "--messages", "--json")
            #expect(messages.map { $0["event"]?.string } == [nil, "update", nil])
            #expect(messages.map { $0["id"]?.string } == [nil, "7", "7"])
            // The body is kept as well, as it came.
            let body = try shunt.run("show", "\(number + 1)", "--raw", "response").output
            #expect(body == "data: one\n\nevent: update\nid: 7\ndata: {\"two\":2}\n\n: hm\ndata: three\r\n\r\n")
        }
        let text = try shunt.run("logs", "--messages").output
        #expect(text.contains("↓ event 9B update #7 {\"two\":2}\n"), "\(text)")
        try shunt.stop()
        origin.stop()
    }

    private static let plain = [
        "data: one\n\n", "event: update\nid: 7\ndata: {\"two\":2}\n\n", ": hm\ndata: three\r\n\r\n",
    ].map { Array($0.utf8) }

    /// The same in one gzip stream, flushed behind each event.
    private static let packed = bytes(plain.map { String(decoding: $0, as: UTF8.self) })

    private static func bytes(_ parts: [String]) -> [[UInt8]] {
        let code = """
            import sys, zlib
            stream = zlib.compressobj(wbits=31)
            for part in sys.stdin.read().split("|"):
                print((stream.compress(part.encode()) + stream.flush(zlib.Z_SYNC_FLUSH)).hex())
            """
        guard let folder = try? TemporaryFolder() else { return [] }
        _ = try? folder.write("parts", parts.joined(separator: "|"))
        let output = try? ChildProcess.run(
            "/bin/sh", ["-c", "python3 -c \"$0\" < parts", code], directory: folder.path
        ).output
        return (output ?? "").split(separator: "\n").map { line in
            let digits = Array(line.utf8).map { $0 < 0x40 ? $0 - 0x30 : $0 - 0x61 + 10 }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }
    }

    @Test(arguments: [("websocket", ["error", "error"]), ("echo", [])])
    func `what is no WebSocket passes as before, and says so once`(name: String, expected: [String]) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(Self.switching.replacing("WebSocket", with: name))
            while true { try connection.send("echo:" + connection.read(until: ";")) }
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "off"])
        let port = shunt.port
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.upgrade.replacing("websocket", with: name))
            _ = try client.readHead()
            for number in 0..<20 {
                try client.send("\(number);")
                #expect(try client.read(until: ";") == "echo:\(number);")
            }
            client.close()
        }
        #expect(try eventually { try ended(shunt).contains(" 101 ") })
        let messages = try lines(shunt, "show", "1", "--messages", "--json")
        #expect(messages.map { $0["kind"]?.string ?? "" } == expected)
        let whole = try JSONReader.read(try shunt.run("show", "1", "--json").output)
        #expect(whole["bodies"]?["response"]?["kept"]?.number?.int64 == 0)
        try shunt.stop()
        origin.stop()
    }

    @Test func `a stream that becomes too much is read no further, and passes`() async throws {
        let parts = Self.bytes(["data: one\n\n", "data: " + String(repeating: "a", count: 8_000_000)])
        let (first, bomb) = (try #require(parts.first), try #require(parts.last))
        #expect(parts.count == 2 && bomb.count * 100 < 8_000_000)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n"
                    + "Content-Length: \(first.count + bomb.count)\r\n\r\n")
            try connection.send(first + bomb)
            _ = try connection.readToEnd()
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "off"])
        let port = shunt.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try client.readHead()
            return try client.drain()
        }
        #expect(got == first.count + bomb.count)
        #expect(try eventually { try ended(shunt).contains(" 200 ") })
        let messages = try lines(shunt, "show", "1", "--messages", "--json")
        #expect(messages.map { $0["kind"]?.string } == ["event", "error"])
        #expect(messages.last?["text"]?.string?.contains("grows too much") == true)
        try shunt.stop()
        origin.stop()
    }

    @Test(.extended) func `memory does not grow with what is said in a WebSocket`() async throws {
        let message = Self.frame(0x81, String(repeating: "x", count: 100), isMasked: true)
        let response = Self.frame(0x81, String(repeating: "y", count: 100))
        let (batch, rounds) = (50, 1000)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send(Self.switching)
            let responses = Array(repeatElement(response, count: batch).joined())
            while true {
                _ = try connection.readBytes(message.count * batch)
                try connection.send(responses)
            }
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "off"])
        let port = shunt.port
        var peaks: [Int] = []
        let client = try RawConnection.connect(port)
        try client.send(Self.upgrade)
        _ = try client.readHead()
        let messages = Array(repeatElement(message, count: batch).joined())
        // As much as the disk takes: what waits for it is bounded by other means. The first fifth warms everything up.
        for share in 1...20 {
            try await blocking {
                for _ in 0..<rounds / 20 {
                    try client.send(messages)
                    _ = try client.readBytes(response.count * batch)
                }
            }
            #expect(eventually { count(shunt) == batch * rounds / 20 * share * 2 })
            peaks.append(shunt.peakKiB ?? 0)
        }
        if ShuntBinary.isRelease { #expect(peaks[19] < peaks[3] + 8 << 10, "\(peaks) KiB") }
        client.close()
        try shunt.stop()
        #expect(count(shunt) == batch * rounds * 2)
        origin.stop()
    }

    private func count(_ shunt: ServingShunt) -> Int {
        let reader = try? TrafficReader(shunt.folder.path + "/.shunt/traffic.db")
        return Int((try? reader?.newestMessage(of: 1)) ?? -1) + 1
    }
}
