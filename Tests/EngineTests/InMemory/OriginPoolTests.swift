import Bytes
import Engine
import Exchanges
import Reactor
import TestSupport
import Testing

/// Connections that are kept and opened, by a clock that a test moves.
@Suite struct OriginPoolTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Connections to the origin of `pool`, in use.
    private static func connections(
        _ count: Int, _ pool: OriginPool, _ worker: isolated MemoryWorker
    ) -> [(origin: OriginConnection, channel: MemoryChannel)] {
        (0..<count).map { _ in
            let channel = MemoryChannel(worker.state.loop.buffers)
            let timings = OriginConnection.ConnectTimings()
            return (OriginConnection(channel, pool, .loopback(.ipv4, port: 80), timings), channel)
        }
    }

    @Test func `as many are kept as the limit says, and the last one serves first`() async throws {
        try await MemoryWorker.run(shortLimits { $0.pooledConnections = 2 }) { worker in
            let pool = worker.pool
            let all = Self.connections(3, pool, worker)
            for one in all { pool.give(one.origin, worker.state) }
            #expect(pool.idleCount == 2 && all.map(\.channel.isOpen) == [true, true, false])
            let now = worker.loop.core.now
            #expect(
                pool.take(sure: true, now: now) === all[1].origin && pool.take(sure: true, now: now) === all[0].origin)
            #expect(pool.take(sure: true, now: now) == nil && all[0].origin.useCount == 1)
        }
    }

    @Test func `one that rests gives its memory back after a second, and ends after a minute`() async throws {
        try await MemoryWorker.run { worker in
            let pool = worker.pool
            worker.reapIdleConnections()
            await worker.settle()
            let all = Self.connections(2, pool, worker)
            pool.give(all[0].origin, worker.state)
            await worker.advance(by: 0.9)
            #expect(!all[0].origin.isAsleep)
            await worker.advance(by: 0.2)
            #expect(all[0].origin.isAsleep)
            await worker.advance(by: 28.9)
            pool.give(all[1].origin, worker.state)
            await worker.advance(by: 29.9)
            #expect(pool.idleCount == 2)
            await worker.advance(by: 0.2)
            #expect(all.map(\.channel.isOpen) == [false, true] && pool.idleCount == 1)
            await worker.advance(by: 30)
            #expect(all.map(\.channel.isOpen) == [false, false] && pool.idleCount == 0)
        }
    }

    @Test func `one that is ten minutes old serves no other request`() async throws {
        try await MemoryWorker.run { worker in
            worker.reapIdleConnections()
            let client = await worker.connect()
            for number in 0..<14 {
                client.receive(Self.get)
                await worker.settle()
                try worker.origins.channel(number < 12 ? 0 : 1).receive(Self.ok)
                await worker.advance(by: 55)
                #expect(client.text.hasSuffix("ok"), "\(number)")
            }
            #expect(worker.origins.attempts == 2)
        }
    }

    @Test func `one that serves again rests anew`() async throws {
        try await MemoryWorker.run { worker in
            worker.reapIdleConnections()
            let client = await worker.connect()
            for _ in 0..<3 {
                client.receive(Self.get)
                await worker.settle()
                try worker.origins.channel(0).receive(Self.ok)
                await worker.advance(by: 59)
                #expect(client.text.hasSuffix("ok") && worker.pool.idleCount == 1)
            }
            await worker.advance(by: 1.1)
            #expect(worker.pool.idleCount == 0 && worker.origins.attempts == 1)
        }
    }

    @Test(arguments: ["ends", "breaks", "speaks"])
    func `what an origin does to one that rests ends it`(what: String) async throws {
        try await MemoryWorker.run { worker in
            let pool = worker.pool
            worker.reapIdleConnections()
            await worker.settle()
            let one = Self.connections(1, pool, worker)[0]
            pool.give(one.origin, worker.state)
            await worker.settle()
            #expect(pool.idleCount == 1)
            switch what {
            case "ends": one.channel.receiveEnd()
            case "breaks": one.channel.receiveReset()
            default: one.channel.receive("HTTP/1.1 408 Request Timeout\r\n\r\n")
            }
            #expect(!one.origin.isUsable(sure: false))
            await worker.settle()
            #expect(
                pool.idleCount == 0 && !one.channel.isOpen && pool.take(sure: false, now: worker.loop.core.now) == nil)
        }
    }

    @Test func `a pool that is closed keeps nothing`() async throws {
        try await MemoryWorker.run { worker in
            let pool = worker.pool
            let all = Self.connections(2, pool, worker)
            pool.give(all[0].origin, worker.state)
            pool.close()
            pool.give(all[1].origin, worker.state)
            #expect(pool.idleCount == 0 && all.allSatisfy { !$0.channel.isOpen })
        }
    }

    // MARK: Opening

    /// May turn out to speak HTTP/2, so that one connection could be enough for all.
    private static let https = Harness.origin("https://origin.test")

    @Test func `one opens and the others wait, until it is known that each needs its own`() async throws {
        try await MemoryWorker.run(profile: Self.https) { worker in
            worker.origins.areHeld = true
            for _ in 0..<5 { _ = await worker.connect(Self.get) }
            #expect(worker.origins.attempts == 1)
            worker.origins.areHeld = false
            await worker.settle()
            #expect(worker.origins.attempts == 5)
            #expect(worker.origins.channels.allSatisfy { $0.text.hasPrefix("GET / HTTP/1.1\r\n") })
        }
    }

    @Test func `an origin of HTTP/1.1 is connected to by each at once`() async throws {
        try await MemoryWorker.run { worker in
            worker.origins.areHeld = true
            for _ in 0..<5 { _ = await worker.connect(Self.get) }
            #expect(worker.origins.attempts == 5)
        }
    }

    @Test func `those who wait share the failure of the one who opens`() async throws {
        try await MemoryWorker.run(profile: Self.https) { worker in
            worker.origins.areHeld = true
            var clients: [MemoryChannel] = []
            for _ in 0..<5 { clients.append(await worker.connect(Self.get)) }
            worker.origins.failure = EngineFailure(.origin, .tls, status: 502, "no such certificate")
            worker.origins.areHeld = false
            await worker.settle()
            #expect(worker.origins.attempts == 1)
            #expect(clients.allSatisfy { $0.text.contains("no such certificate") })
            // It is no verdict about the next request.
            worker.origins.failure = nil
            _ = await worker.connect(Self.get)
            #expect(worker.origins.attempts == 2 && worker.origins.channels.count == 1)
        }
    }

    @Test func `those who wait do so for the time that connecting may take`() async throws {
        try await MemoryWorker.run(profile: Self.https) { worker in
            worker.origins.areHeld = true
            var clients: [MemoryChannel] = []
            for _ in 0..<3 { clients.append(await worker.connect(Self.get)) }
            await worker.advance(by: 9.9)
            #expect(worker.log.exchanges.isEmpty)
            await worker.advance(by: 0.1)
            #expect(clients.map { $0.text.hasPrefix("HTTP/1.1 504 ") } == [true, true, true])
            #expect(worker.origins.attempts == 1)
        }
    }

    @Test func `one who opens with less time than the others does not fail them`() async throws {
        let profile = """
            {"kind": "local", "routes": [
              {"path": "/hasty", "origin": ["https://origin.test", "http://other.test"],
               "fallback": {"timeout": "100ms"}},
              {"path": "/*", "origin": "https://origin.test"}]}
            """
        try await MemoryWorker.run(profile: profile) { worker in
            worker.origins.areHeld = true
            _ = await worker.connect("GET /hasty HTTP/1.1\r\nHost: a\r\n\r\n")
            var patient: [MemoryChannel] = []
            for _ in 0..<3 { patient.append(await worker.connect(Self.get)) }
            #expect(worker.origins.attempts == 1)
            await worker.advance(by: 0.2)
            // One of them opens the next, and so does the hasty one's second candidate.
            #expect(worker.origins.attempts == 3 && worker.log.exchanges.isEmpty)
            // The time that they have waited counts.
            await worker.advance(by: 9.7)
            #expect(worker.log.exchanges.allSatisfy { $0.url.hasSuffix("/hasty") })
            await worker.advance(by: 0.2)
            #expect(patient.map { $0.text.hasPrefix("HTTP/1.1 504 ") } == [true, true, true])
            #expect(worker.origins.attempts == 3)
        }
    }

    @Test func `a client that leaves while it opens does not fail the others`() async throws {
        try await MemoryWorker.run(profile: Self.https) { worker in
            worker.origins.areHeld = true
            let first = await worker.connect(Self.get)
            let second = await worker.connect(Self.get)
            worker.cancel(first)
            await worker.settle()
            #expect(worker.origins.attempts == 2)
            worker.origins.areHeld = false
            await worker.settle()
            // The exchange of the second goes on.
            #expect(second.isOpen && worker.log.exchanges.count == 1)
            #expect(worker.origins.channels.count == 1)
        }
    }

    @Test func `a client that leaves waits no more`() async throws {
        try await MemoryWorker.run(profile: Self.https) { worker in
            worker.origins.areHeld = true
            _ = await worker.connect(Self.get)
            let second = await worker.connect(Self.get)
            second.receiveReset()
            await worker.settle()
            #expect(worker.ends == ["client deliver"] && !second.isOpen)
            worker.origins.areHeld = false
            await worker.settle()
            #expect(worker.origins.attempts == 1)
        }
    }

    // MARK: Addresses

    /// An origin on a socket, which keeps its connections.
    private static func serve() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send(ok)
            }
        }
    }

    @Test func `connections from an address that this machine has no more end`() async throws {
        let origin = Self.serve()
        defer { origin.stop() }
        try await MemoryWorker.run(profile: Harness.origin("http://127.0.0.1:\(origin.port)")) { worker in
            worker.connectBySockets()
            _ = await worker.connect(Self.get)
            #expect(await worker.wait { $0.pool.idleCount == 1 })
            let (own, other) = ([127, 0, 0, 1] as [UInt8], [192, 0, 2, 1] as [UInt8])
            worker.state.addressesChanged(to: [own, other])
            worker.state.addressesChanged(to: [own])
            #expect(worker.pool.idleCount == 1)
            worker.state.addressesChanged(to: [other])
            #expect(worker.pool.take(sure: false, now: worker.loop.core.now) == nil)
        }
    }

    /// Each row: a client's second request, which waits for its response when its address goes, and what comes of it.
    @Test(arguments: [("POST", "HTTP/1.1 502 "), ("GET", "HTTP/1.1 200 ")])
    func `a request on an address that this machine has no more fails, or is sent again`(
        method: String, response: String
    ) async throws {
        let requests = Kept(0)
        let origin = ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                requests.change { $0 += 1 }
                if requests.value != 2 { try connection.send(Self.ok) }
            }
        }
        defer { origin.stop() }
        try await MemoryWorker.run(profile: Harness.origin("http://127.0.0.1:\(origin.port)")) { worker in
            worker.connectBySockets()
            let client = await worker.connect(Self.get)
            _ = await worker.response(to: client)
            client.receive("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await worker.wait { _ in requests.value == 2 })
            worker.state.addressesChanged(to: [[127, 0, 0, 1]])
            worker.state.addressesChanged(to: [])
            let text = await worker.response(to: client)
            #expect(text.hasPrefix(response), "\(text)")
        }
    }

    /// Each row: what the origin's name means later, and whether its connections stay.
    @Test(arguments: [
        (["127.0.0.1"], true), (["127.0.0.9", "127.0.0.1"], true), (["127.0.0.9"], false), ([], true),
    ])
    func `a name that moves to other addresses ends its connections`(later: [String], stays: Bool) async throws {
        let origin = Self.serve()
        defer { origin.stop() }
        let (meaning, lookUps, time) = (Kept(["127.0.0.1"]), Kept(0), Kept<UInt64>(0))
        let resolver = Resolver(
            lookUp: { _ in
                lookUps.change { $0 += 1 }
                let found = meaning.value.compactMap { SocketAddress(literal: $0, port: 0) }
                return found.isEmpty ? .failure(.unavailable("no server")) : .success(found)
            },
            clock: {
                time.change { $0 += 10 * Limits.second }
                return time.value
            })
        let profile = Harness.origin("http://origin.test:\(origin.port)")
        try await MemoryWorker.run(profile: profile, resolver: resolver) { worker in
            worker.connectBySockets()
            worker.reapIdleConnections()
            _ = await worker.connect(Self.get)
            #expect(await worker.wait { $0.pool.idleCount == 1 })
            meaning.change { $0 = later }
            await worker.advance(by: 11)
            #expect(await worker.wait { _ in lookUps.value == 2 })
            if stays {
                await worker.settle()
                #expect(worker.pool.idleCount == 1)
            } else {
                #expect(await worker.wait { $0.pool.idleCount == 0 })
            }
        }
    }
}
