import Engine
import Exchanges
import HTTP2
import Push
import TestSupport
import Testing

/// The stand-in for APNs as a client of HTTP/2 sees it.
@Suite struct PushTests {
    private static let device = String(repeating: "0a", count: 32)
    private static let profile = #"""
        {"kind": "local", "routes": [{"push": {
          "environment": "mock", "topics": ["com.example.shop"], "unregistered": {"\#(String(repeating: "41", count: 32))": 7},
          "throttle": {"requests": 2, "seconds": 60}}}]}
        """#

    /// Seconds since 1970.
    private static let now: Int64 = 1_800_000_000

    private static func push(
        _ wire: HTTP2Wire, _ token: String, _ path: String = device, more: String = "",
        body: String = #"{"aps":{"alert":"Hello"}}"#
    ) throws -> (status: String, fields: [String], body: String) {
        let recorder = try wire.request(
            "POST /3/device/\(path) HTTP/1.1\r\nHost: a\r\nauthorization: bearer \(token)\r\n"
                + "apns-topic: com.example.shop\r\napns-push-type: alert\r\n\(more)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n", body: body)
        try wire.finish(recorder)
        let lines = recorder.heads.last?.split(separator: "\r\n").map { $0.lowercased() } ?? []
        let status = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        return (status, lines, recorder.text)
    }

    private static func token(_ key: ProviderKey, at time: Int64) throws -> String {
        try #require(ProviderToken.text(signedBy: key, keyID: "ABC123DEFG", teamID: "TEAM567890", at: time))
    }

    @Test func `notifications are accepted, refused and listed`() async throws {
        let clock = Kept<Int64>(1_800_000_000)
        let harness = try await Harness.start(
            profiles: ["only": Self.profile], active: "only", clock: { clock.value })
        let port = harness.port
        let key = try #require(ProviderKey.generate())
        let id = "123e4567-e89b-12d3-a456-42661417400a"
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            let token = try Self.token(key, at: clock.value)
            let first = try Self.push(wire, token, more: "apns-id: \(id)\r\n")
            #expect(first.status == "200" && first.body.isEmpty)
            #expect(first.fields.contains("apns-id: \(id)"))
            #expect(first.fields.contains { $0.hasPrefix("apns-unique-id: ") })
            let gone = try Self.push(wire, token, String(repeating: "41", count: 32))
            #expect(gone.status == "410" && gone.body == #"{"reason":"Unregistered","timestamp":7}"#)
            #expect(gone.fields.contains { $0.hasPrefix("apns-id: ") })
            let early = try Self.push(wire, try Self.token(key, at: clock.value + 1))
            #expect(early.status == "429" && early.body == #"{"reason":"TooManyProviderTokenUpdates"}"#)
            // Another connection has a token of its own.
            let other = try Self.push(try HTTP2Wire.connect(port), try Self.token(key, at: clock.value + 1))
            #expect(other.status == "200")
            let throttled = try Self.push(wire, token)
            #expect(throttled.status == "429" && throttled.body == #"{"reason":"TooManyRequests"}"#)
            let large = try Self.push(wire, token, body: String(repeating: "x", count: 70_000))
            #expect(large.status == "413" && large.body == #"{"reason":"PayloadTooLarge"}"#)
            clock.change { $0 += 3601 }
            let late = try Self.push(wire, token)
            #expect(late.status == "403" && late.body == #"{"reason":"ExpiredProviderToken"}"#)
        }
        let received = harness.proxy.receivedPushes.list(after: 0, limit: 9).pushes
        #expect(received.map(\.id).first == id && received.count == 2)
        #expect(received.first?.target == .device(token: Self.device) && received.first?.fields.authorization == nil)
        #expect(harness.log.exchanges.first?.responder == "push")
        await harness.stop()
    }

    @Test func `HTTP 1 is refused, and a reload keeps what was received`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": Self.profile], active: "only", clock: { Self.now })
        let port = harness.port
        let key = try #require(ProviderKey.generate())
        let said = try await blocking {
            let response = try ClientKind.h1.ask(port, "POST", "/3/device/\(Self.device)", body: "{}")
            let pushed = try Self.push(
                try HTTP2Wire.connect(port), try Self.token(key, at: Self.now))
            return (response, pushed.status)
        }
        #expect(said.0.status.contains("505") && said.0.body.contains("HTTP/2") && said.1 == "200")
        try harness.proxy.replace(with: Harness.library(["only": Self.profile]))
        #expect(harness.proxy.receivedPushes.list(after: 0, limit: 9).count == 1)
        await harness.stop()
    }

    @Test func `an idle connection ends with the reason of APNs`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": Self.profile], active: "only", limits: shortLimits { $0.idleTime = Limits.second / 20 },
            clock: { Self.now })
        let port = harness.port
        let key = try #require(ProviderKey.generate())
        let said = try await blocking { () throws in
            let connection = try RawConnection.connect(port)
            let wire = try HTTP2Wire(connection, .client)
            _ = try Self.push(wire, try Self.token(key, at: Self.now))
            try wire.runToEnd()
            return String(decoding: wire.tail, as: UTF8.self)
        }
        await harness.stop()
        #expect(said.contains(#"{"reason":"IdleTimeout"}"#))
    }
}
