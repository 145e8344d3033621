import TLS
import Testing

@Suite struct ResumptionTests {
    let server: ServerContext
    let client: ClientContext
    let oldServer: ServerContext

    init() throws {
        server = try ServerContext(identities: .development(.ephemeral()))
        oldServer = try ServerContext(identities: .development(.ephemeral()), newest: .tls12)
        client = try ClientContext(policy: .none)
    }

    /// One connection with an exchange of data, after which the tickets have arrived; says if it was resumed.
    private func connect(
        _ context: ClientContext, _ server: ServerContext, _ store: ResumptionStore, host: String = "shop.test"
    ) throws -> Bool {
        let wired = try Wired(context, server, host: host, store: store)
        try wired.shakeHands()
        _ = try wired.server.write("hello")
        #expect(try wired.client.readText() == "hello")
        #expect(wired.client.session.wasResumed == wired.server.session.wasResumed)
        return wired.client.session.wasResumed
    }

    @Test func `every connection after the first resumes in TLS 1.3, each with a ticket of its own`() throws {
        let store = ResumptionStore()
        #expect(try connect(client, server, store) == false)
        for _ in 0..<100 {
            #expect(store.count == 1)
            #expect(try connect(client, server, store))
        }
    }

    @Test func `a TLS 1.2 session is used again and again`() throws {
        let store = ResumptionStore()
        #expect(try connect(client, oldServer, store) == false)
        for _ in 0..<100 { #expect(try connect(client, oldServer, store)) }
        #expect(store.count >= 1)
    }

    @Test func `another worker's connection takes the ticket, for the context is shared`() async throws {
        let store = ResumptionStore()
        #expect(try connect(client, server, store) == false)
        let (client, server) = (client, server)
        // A ticket gained on another thread works too.
        let resumed = try await Task.detached {
            let other = ResumptionStore()
            let suite = try ResumptionTests()
            _ = try suite.connect(client, server, other)
            return try suite.connect(client, server, other)
        }.value
        #expect(resumed)
    }

    @Test func `a session is not offered to another host, nor under another context`() throws {
        let store = ResumptionStore()
        _ = try connect(client, server, store)
        #expect(try connect(client, server, store, host: "other.test") == false)
        #expect(try connect(client, server, store, host: "other.test"))
        #expect(try connect(ClientContext(policy: .none), server, store, host: "other.test") == false)
    }

    @Test func `the store keeps eight sessions and no more`() throws {
        let store = ResumptionStore()
        let open = try (0..<12).map { _ in try Wired(client, server, store: store) }
        for wired in open {
            try wired.shakeHands()
            _ = try wired.server.write("hello")
            _ = try wired.client.readText()
        }
        #expect(store.count == 8)
    }

    @Test func `what was wrong with a certificate is still known after a resumption`() throws {
        let store = ResumptionStore()
        _ = try connect(client, server, store)
        let wired = try Wired(client, server, store: store)
        try wired.shakeHands()
        #expect(wired.client.session.wasResumed)
        let seen = wired.client.session.verification
        #expect(!seen.isTrusted)
        #expect(seen.chain.first?.names == ["shop.test"])
    }
}
