import Engine
import Exchanges
import TestSupport
import Testing

/// Exchanges over streams in which nothing moves: they end in time, and the log says whose fault it was.
///
/// Those over connections of their own are in `OriginRelayTests`.
@Suite struct StandstillTests {
    private static let short = shortLimits { $0.bodyTime = 2 * Limits.second }

    private static func failure(_ harness: Harness) -> String {
        let failure = harness.log.exchanges.last?.failure
        return "\(failure?.side ?? "none") \(failure?.stage ?? "")"
    }

    @Test(
        arguments: [OriginKind.h2c, .h2],
        ["Content-Length: 50000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n2FAF080\r\n"])
    func `an origin that takes no upload is the one at fault, and the client hears 504`(
        kind: OriginKind, framing: String
    ) async throws {
        let over = Box()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            #expect(eventually { over.take() != "" })
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin, limits: Self.short)
        let port = stage.port
        let got = try await blocking {
            defer { over.put("yes") }
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\n" + framing)
            _ = client.sendUntilBlocked()
            return try client.readHead()
        }
        await stage.stop()
        #expect(got.hasPrefix("HTTP/1.1 504 "), "\(got)")
        #expect(Self.failure(stage.outer) == "origin send")
    }

    @Test(arguments: [OriginKind.h2c, .h2])
    func `a client that stops sending is the one at fault, and hears 408`(kind: OriginKind) async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let stage = try await kind.start(origin, limits: Self.short)
        let port = stage.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
            return try client.readHead()
        }
        await stage.stop()
        #expect(got.hasPrefix("HTTP/1.1 408 "), "\(got)")
        #expect(Self.failure(stage.outer) == "client send")
    }
}
