import Foundation
import Synchronization
import TestSupport
import Testing

/// Streams that live for long, and environments that change meanwhile.
@Suite(.serialized) struct StreamTests {
    private static let size = 3_000_000

    /// Responses downloads, and upgrades to an echo that says its name.
    private static func environment(_ name: String) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                if head.hasPrefix("GET /big") {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    try connection.send([UInt8](repeating: 0x78, count: size))
                } else if head.contains("Upgrade: websocket") {
                    try connection.send(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                    while true { try connection.send("\(name):" + connection.read(until: ";")) }
                } else {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(name.count)\r\n\r\n\(name)")
                }
            }
        }
    }

    @Test func `a switch and a reload leave 100 WebSockets and 50 downloads where they are`() async throws {
        let (staging, local) = (Self.environment("staging"), Self.environment("local"))
        defer {
            staging.stop()
            local.stop()
        }
        let shunt = try ServingShunt(
            [
                "staging": profile("http://127.0.0.1:\(staging.port)", kind: "staging"),
                "local": profile("http://127.0.0.1:\(local.port)"),
            ], ["--profile", "staging", "--log", "off", "--workers", "2"])
        let port = shunt.port
        try await blocking {
            let sockets = try (0..<100).map { _ in
                let client = try RawConnection.connect(port)
                try client.send("GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                #expect(try client.readHead().hasPrefix("HTTP/1.1 101 "))
                return client
            }
            let downloads = try (0..<50).map { _ in
                let client = try RawConnection.connect(port, receiveBuffer: 65536)
                try client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
                return client
            }
            func echo(_ text: String) throws {
                for (number, socket) in sockets.enumerated() { try socket.send("\(text)\(number);") }
                for (number, socket) in sockets.enumerated() {
                    #expect(try socket.read(until: ";") == "staging:\(text)\(number);")
                }
            }
            try echo("before")
            #expect(try shunt.run("use", "local").status == 0)
            #expect(try Self.who(port) == "local")
            try echo("switched")
            // Other routes, other trust: everything that a reload makes anew.
            try shunt.folder.write(
                "Profiles/local.json",
                profile("http://127.0.0.1:\(local.port)/base", #", "trust": {"localhost": "disabled"}"#))
            #expect(try shunt.run("reload").status == 0)
            #expect(try Self.who(port) == "local")
            try echo("reloaded")
            for download in downloads { #expect(try download.drain() == Self.size) }
            for socket in sockets { socket.close() }
        }
        try shunt.stop()
    }

    private static func who(_ port: UInt16) throws -> String {
        let client = try RawConnection.connect(port)
        try client.send("GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = try client.readHead()
        return try client.readToEnd()
    }
}
