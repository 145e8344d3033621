import Bytes
import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct HandshakeTests {
    let authority: DevelopmentCA
    let client: ClientContext

    init() throws {
        authority = try .ephemeral()
        client = try ClientContext(policy: .none)
    }

    @Test(arguments: [
        (ProtocolVersion.tls13, "TLSv1.3", "TLS_AES_128_GCM_SHA256"),
        (.tls12, "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"),
    ])
    func `a handshake ends with the fastest suite, and data passes both ways`(
        newest: ProtocolVersion, version: String, cipher: String
    ) throws {
        let wired = try Wired(client, ServerContext(identities: .development(authority), newest: newest))
        try wired.shakeHands()
        for end in [wired.client, wired.server] {
            #expect(end.session.version == version)
            #expect(end.session.cipher == cipher)
            #expect(end.session.alpn == "http/1.1")
            #expect(end.session.wasResumed == false)
        }
        #expect(wired.server.session.serverName == "shop.test")
        #expect(try wired.client.write("ping") == .bytes(4))
        #expect(try wired.server.readText() == "ping")
        #expect(try wired.server.write("pong") == .bytes(4))
        #expect(try wired.client.readText() == "pong")
    }

    @Test func `an address is no server name, and gets the certificate of this machine`() throws {
        let wired = try Wired(client, ServerContext(identities: .development(authority)), host: "[::1]")
        try wired.shakeHands()
        #expect(wired.server.session.serverName == nil)
        #expect(wired.client.session.verification.chain.first?.names == ["localhost", "127.0.0.1", "::1"])
    }

    @Test func `no protocol in common is refused by name`() throws {
        let wired = try Wired(
            ClientContext(policy: .none, alpn: ["h2"]), ServerContext(identities: .development(authority)))
        let failure = #expect(throws: TLSFailure.self) { try wired.shakeHands() }
        guard case .peerAlert(let alert) = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(alert == "no application protocol")
    }

    @Test(arguments: ["a b", "no/name", "", "exa\u{0}mple.test", "-.test", "1.2.3", String(repeating: "a", count: 64)])
    func `a client does not ask for what is no host`(host: String) throws {
        #expect(throws: TLSFailure.self) {
            _ = try Wired(client, ServerContext(identities: .development(authority)), host: host)
        }
    }

    @Test(arguments: [
        Array("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n".utf8), Array("CONNECT shop.test:443 HTTP/1.1\r\n\r\n".utf8),
    ])
    func `plain http sent to a TLS port is called by its name`(bytes: [UInt8]) throws {
        let failure = try serverFailure(after: bytes)
        guard case .notTLS = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.message.contains("plain http"))
    }

    @Test func `an origin that responds without TLS is asked whether it is plain http`() throws {
        let sockets = Sockets()
        let end = try End(sockets.left) {
            try Session(client: client, readiness: $0, host: "shop.test", resumption: nil)
        }
        #expect(try end.session.handshake() == .wantRead)
        let response = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        _ = response.withUnsafeBytes { write(sockets.right, $0.baseAddress, $0.count) }
        end.wake()
        let failure = #expect(throws: TLSFailure.self) { try end.session.handshake() }
        #expect(failure?.message.contains("responded without TLS, perhaps in plain HTTP") == true)
    }

    @Test func `a peer that leaves in the middle is named`() throws {
        let failure = try serverFailure(after: [0x16, 0x03, 0x01])
        guard case .truncated = failure.kind else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test func `garbage in place of a hello fails and never crashes`() throws {
        var random = SystemRandomNumberGenerator()
        for round in 0..<500 {
            var bytes = (0..<Int.random(in: 1...300)).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Half of them get far enough to be parsed: a record that says handshake, client hello.
            if round % 2 == 0, bytes.count > 9 {
                let length = bytes.count - 5
                bytes.replaceSubrange(0..<5, with: [0x16, 3, 1, UInt8(length >> 8), UInt8(length & 255)])
                bytes.replaceSubrange(5..<9, with: [1, 0, UInt8((length - 4) >> 8), UInt8((length - 4) & 255)])
            }
            _ = try serverFailure(after: bytes)
        }
    }

    @Test func `a true hello with bytes changed fails and never crashes`() throws {
        let server = try ServerContext(identities: .development(authority))
        for _ in 0..<300 {
            let sockets = Sockets()
            let end = try End(sockets.left) {
                try Session(client: client, readiness: $0, host: "shop.test", resumption: nil)
            }
            _ = try end.session.handshake()
            var hello = [UInt8](repeating: 0, count: 4096)
            let count = read(sockets.right, &hello, hello.count)
            for _ in 0..<Int.random(in: 1...8) { hello[Int.random(in: 0..<count)] = .random(in: 0...255) }
            // It may do no harm, and then the end of the stream is what ends it.
            _ = try serverFailure(after: Array(hello.prefix(count)), in: server)
        }
    }

    /// What a server throws that gets these bytes and then the end.
    private func serverFailure(after bytes: [UInt8], in context: ServerContext? = nil) throws -> TLSFailure {
        let sockets = Sockets()
        let context = try context ?? ServerContext(identities: .development(authority))
        let end = try End(sockets.left) { try Session(server: context, readiness: $0) }
        _ = bytes.withUnsafeBytes { write(sockets.right, $0.baseAddress, $0.count) }
        _ = shutdown(sockets.right, CInt(SHUT_WR))
        do throws(TLSFailure) {
            for _ in 0..<10 {
                end.wake()
                _ = try end.session.handshake()
            }
        } catch { return error }
        throw Wired.Stuck()
    }
}
