import Engine
import Exchanges
import TLS
import TestSupport
import Testing

/// With its body: what comes later would be read in the middle of a handshake.
private func readRequest(_ sealed: SealedConnection) throws {
    _ = try sealed.readHead()
    _ = try sealed.read(5)
}

/// Origins that want a certificate of their client, when they connect or in the middle of a request.
@Suite struct ClientCertificateTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"

    /// Sends a request with a body to an origin over TLS, which `script` plays.
    private func ask(
        _ trust: String, _ newest: ProtocolVersion, requests: Int = 1,
        _ script: @escaping @Sendable (RawConnection, SealedConnection.Context) throws -> Void
    ) async throws -> (responses: [String], log: Harness.Log) {
        let context = try SealedConnection.Context(newest)
        let origin = ScriptedOrigin { connection, _ in try script(connection, context) }
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: [
                "only": """
                {"kind": "local", "routes": [{"origin": "https://localhost:\(origin.port)"}],
                 "trust": {"localhost": \(trust)}}
                """
            ], active: "only")
        let port = harness.port
        let responses = try await blocking {
            try (0..<requests).map { _ in
                let client = try RawConnection.connect(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
                return try client.readToEnd()
            }
        }
        await harness.stop()
        return (responses, harness.log)
    }

    /// A rule with a certificate of its own.
    private func showing(_ folder: TemporaryFolder) throws -> String {
        let identity = try Identity.selfSigned(host: "device.test")
        let certificate = try folder.write("me.pem", identity.certificatePEM)
        let key = try folder.write("me.key", identity.keyPEM)
        _ = try ChildProcess.run("/bin/chmod", ["600", key])
        return """
            {"policy": "disabled", "clientCertificate": {"certificate": "\(certificate)", "key": "\(key)"}}
            """
    }

    @Test func `an origin may ask for a certificate in the middle of a request, as IIS does`() async throws {
        let folder = try TemporaryFolder()
        let seen = Kept<[Bool]>([])
        let (responses, log) = try await ask(try showing(folder), .tls12, requests: 2) { connection, context in
            let sealed = try SealedConnection(connection, context)
            for _ in 0..<2 {
                try readRequest(sealed)
                let isShown = try sealed.renegotiate()
                seen.change { $0.append(isShown) }
                try connection.send(try sealed.seal(Self.head + "ok"))
            }
        }
        #expect(responses.allSatisfy { $0.hasSuffix("\r\n\r\nok") }, "\(responses)")
        #expect(seen.value == [true, true])
        #expect(log.exchanges.map(\.status) == [200, 200])
    }

    @Test func `a certificate that changes within a connection ends it`() async throws {
        let other = try SealedConnection.Context(.tls12)
        let (responses, _) = try await ask("\"disabled\"", .tls12) { connection, context in
            let sealed = try SealedConnection(connection, context)
            try readRequest(sealed)
            _ = try? sealed.renegotiate(showing: other)
            try connection.send(try sealed.seal(Self.head + "ok"))
            _ = try connection.readToEnd()
        }
        #expect(responses[0].hasPrefix("HTTP/1.1 502 "), "\(responses)")
        #expect(responses[0].contains("showed another certificate when it renegotiated"), "\(responses)")
    }

    @Test func `an origin that asks for ever is declined`() async throws {
        let count = Kept(0)
        let (responses, _) = try await ask("\"disabled\"", .tls12) { connection, context in
            let sealed = try SealedConnection(connection, context)
            try readRequest(sealed)
            while (try? sealed.renegotiate()) != nil { count.change { $0 += 1 } }
        }
        #expect(responses[0].hasPrefix("HTTP/1.1 502 "), "\(responses)")
        #expect((31...33).contains(count.value), "\(count.value)")
    }

    @Test(arguments: [ProtocolVersion.tls12, .tls13])
    func `an origin that refuses a client without a certificate is recognised, and the key is named`(
        version: ProtocolVersion
    ) async throws {
        let (responses, log) = try await ask("\"disabled\"", version) { connection, context in
            _ = try? SealedConnection(connection, context, wantsCertificate: true)
            connection.close()
        }
        #expect(responses[0].hasPrefix("HTTP/1.1 502 "))
        #expect(responses[0].contains("wants a client certificate") || responses[0].contains("asked for a client"))
        #expect(responses[0].contains("\"clientCertificate\": { \"certificate\": \"../ca/me.pem\""), "\(responses)")
        #expect(log.exchanges.first?.failure?.message.contains("client certificate") == true)
    }
}
