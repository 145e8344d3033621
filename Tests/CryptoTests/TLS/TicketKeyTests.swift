import Synchronization
import TLS
import Testing

@Suite struct TicketKeyTests {
    /// Seconds; a period is an hour.
    private let time = Box(1_000_000 * 3600)

    final class Box: Sendable {
        private let value: Mutex<Int64>
        init(_ value: Int64) { self.value = Mutex(value) }
        var now: Int64 { value.withLock { $0 } }
        func move(by seconds: Int64) { value.withLock { $0 += seconds } }
    }

    /// One connection with data, after which a ticket has arrived; says if it was resumed.
    private func connect(_ client: ClientContext, _ server: ServerContext, _ store: ResumptionStore) throws -> Bool {
        let wired = try Wired(client, server, store: store)
        try wired.shakeHands()
        _ = try wired.server.write("hello")
        #expect(try wired.client.readText() == "hello")
        return wired.client.session.wasResumed
    }

    @Test(
        arguments: [
            // Given at the start or the end of a period, and taken so many seconds later.
            (given: 0, later: 3599, resumes: true), (given: 0, later: 3600, resumes: true),
            (given: 0, later: 7199, resumes: true), (given: 0, later: 7200, resumes: false),
            (given: 3599, later: 3600, resumes: true), (given: 3599, later: 3601, resumes: false),
            (given: 0, later: 100 * 3600, resumes: false), (given: 10, later: -3600, resumes: false),
        ], ProtocolVersion.allCases)
    func `a ticket resumes for one period of its key and not for two`(
        _ example: (given: Int, later: Int, resumes: Bool), _ newest: ProtocolVersion
    ) throws {
        let server = try ServerContext(
            identities: .development(.ephemeral()), newest: newest, clock: { [time] in time.now })
        let (client, store) = (try ClientContext(policy: .none), ResumptionStore())
        time.move(by: Int64(example.given))
        #expect(try connect(client, server, store) == false)
        time.move(by: Int64(example.later))
        #expect(try connect(client, server, store) == example.resumes)
        // Either way the server has sent a ticket of the new key. OpenSSL's client keeps none that comes in a resumed
        // handshake of TLS 1.2, and takes up no older one either: it begins anew.
        let isOld = (example.given + example.later) / 3600 != example.given / 3600
        let isLost = newest == .tls12 && example.resumes && isOld
        #expect(try connect(client, server, store) == !isLost)
        #expect(try connect(client, server, store))
    }

    @Test func `each connection brings a ticket of the newest key`() throws {
        let server = try ServerContext(
            identities: .development(.ephemeral()), newest: .tls13, clock: { [time] in time.now })
        let (client, store) = (try ClientContext(policy: .none), ResumptionStore())
        #expect(try connect(client, server, store) == false)
        for _ in 0..<5 {
            time.move(by: 3600)
            #expect(try connect(client, server, store))
        }
    }
}
