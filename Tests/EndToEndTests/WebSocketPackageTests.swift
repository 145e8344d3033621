import Exchanges
import Foundation
import Inspection
import JSON
import Store
import TestSupport
import Testing

/// The package `websockets` of PyPI, where it is installed.
private enum Package {
    static let python =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path + "/.build/python/bin/python"
    static let script =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Peers/websocket.py"
    static let isThere = (try? ChildProcess.run(python, ["-c", "import websockets"]).status) == 0
}

/// Messages of another implementation, the package `websockets` of PyPI, as Shunt keeps them.
@Suite(.serialized, .enabled(if: Package.isThere, "`make setup-test` installs websockets"))
struct WebSocketPackageTests {
    /// Seeds that stand for no compression, compression, no context and small windows, among others.
    @Test func `random messages are kept as they were sent, compressed or not`() throws {
        let peer = try ChildProcess(Package.python, [Package.script, "serve"])
        defer { peer.signal(9) }
        #expect(eventually { peer.output.hasSuffix("\n") })
        let port = peer.output.dropLast()
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(port)")], ["--log", "off"])
        var compressed = 0
        for seed in 1...8 {
            let url = "ws://localhost:\(shunt.port)/\(seed)"
            let result = try ChildProcess.run(Package.python, [Package.script, "talk", url, "\(seed)", "25"])
            #expect(result.status == 0, "\(result.errors)")
            let sent = (try JSONReader.read(result.output)).array ?? []
            let reader = try TrafficReader(shunt.folder.path + "/.shunt/traffic.db")
            let isOver = try eventually { try reader.record(Int64(seed))?.summary.isEnded == true }
            #expect(isOver && sent.count == 25)
            let head = String(decoding: try reader.record(Int64(seed))?.originResponse ?? [], as: UTF8.self)
            if head.contains("permessage-deflate") { compressed += 1 }
            let messages = try reader.messages(of: Int64(seed), limit: 1000)
            #expect(messages.allSatisfy { !$0.isPartial && $0.facts.kind != .error }, "\(head)")
            for sender in [MessageFacts.Sender.client, .origin] {
                let own = messages.filter { $0.facts.sender == sender }
                let body = own.filter { !$0.facts.kind.isControl }
                #expect(body.map { Self.text($0) } == sent.map { $0["text"]?.string ?? $0["hex"]?.string ?? "" })
                #expect(body.map { $0.facts.kind == .text } == sent.map { $0["text"] != nil })
                #expect(own.last?.close?.code == 1000)
            }
            let pings = messages.count { $0.facts.kind == .ping }
            #expect(pings == messages.count { $0.facts.kind == .pong })
        }
        #expect((1...7).contains(compressed))
        try shunt.stop()
    }

    private static let talk = """
        import sys, websockets.sync.client
        with websockets.sync.client.connect(sys.argv[1], subprotocols=["chat"]) as link:
            print(link.subprotocol, link.recv())
            link.send("ping")
            print(link.recv())
            link.send(b"x")
            try:
                link.recv()
            except websockets.exceptions.ConnectionClosed as end:
                print(end.rcvd.code, end.rcvd.reason)
        """

    @Test func `a mock talks with it, and what was said is kept`() throws {
        let mock = """
            {"kind": "local", "routes": [{"path": "/chat", "mock": {"webSocket": {"script": [{"text": "hello"}],
            "replies": [{"receive": {"text": "ping"}, "send": [{"text": "pong"}]},
            {"send": [{"close": 4001, "reason": "enough"}]}]}}}]}
            """
        let shunt = try ServingShunt(["local": mock], ["--log", "off"])
        let result = try ChildProcess.run(Package.python, ["-c", Self.talk, "ws://localhost:\(shunt.port)/chat"])
        #expect(result.output == "chat hello\npong\n4001 enough\n", "\(result.errors)")
        let reader = try TrafficReader(shunt.folder.path + "/.shunt/traffic.db")
        let isOver = try eventually { try reader.record(1)?.summary.isEnded == true }
        let kinds = try reader.messages(of: 1, limit: 100).map { "\($0.facts.sender) \($0.facts.kind.name)" }
        #expect(isOver)
        #expect(
            kinds == [
                "origin text", "client text", "origin text", "client binary", "origin close", "client close",
            ])
        try shunt.stop()
    }

    private static func text(_ message: RecordedMessage) -> String {
        let bytes = message.bytes ?? []
        if message.facts.kind == .text { return String(decoding: bytes, as: UTF8.self) }
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
