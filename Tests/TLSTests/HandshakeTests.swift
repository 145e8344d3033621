import TLS
import Testing

@Suite struct HandshakeTests {
    let authority = try? DevelopmentCA.ephemeral()

    @Test func `a handshake ends in TLS 1.3 with the fastest suite, and data passes both ways`() throws {
        let authority = try #require(authority)
        let wired = try Wired(
            ClientContext(policy: .none), ServerContext(identities: .development(authority)))
        try wired.shakeHands()
        #expect(wired.client.session.version == "TLSv1.3")
        #expect(wired.client.session.cipher == "TLS_AES_128_GCM_SHA256")
        #expect(wired.server.session.serverName == "shop.test")
        #expect(wired.server.session.alpn == "http/1.1")
        #expect(wired.client.session.alpn == "http/1.1")
        #expect(try wired.client.write("ping") == .bytes(4))
        #expect(try wired.server.readText() == "ping")
        #expect(try wired.server.write("pong") == .bytes(4))
        #expect(try wired.client.readText() == "pong")
    }
}
