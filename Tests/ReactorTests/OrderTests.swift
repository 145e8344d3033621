import Bytes
import Reactor
import TestSupport
import Testing

/// Who of several has their turn first.
@Suite(.timeLimit(.minutes(1))) struct OrderTests {
    @Test func `responses are told before what is new, whichever came first`() async throws {
        let order = try await Bench.run { bench in
            let hall = try await Hall(bench)
            bench.wait(in: hall, for: hall.accepted[0], "ask")
            bench.wait(in: hall, for: hall.connected, "response")
            await hall.waiter.yield()
            try hall.clients[0].send("x")
            _ = try [UInt8]("x".utf8).withUnsafeBytes { try hall.origin.write($0) }
            return await hall.heard(2)
        }
        #expect(order == ["response", "ask"])
    }

    @Test func `what a socket leads to is done before the next one has its turn`() async throws {
        let order = try await Bench.run { bench in
            let hall = try await Hall(bench)
            let next = Waiter(bench.loop.core)
            Task {
                bench.assertIsolated()
                await next.park()
                hall.note("after the first")
            }
            bench.wait(in: hall, for: hall.accepted[0], "first") { next.wake() }
            bench.wait(in: hall, for: hall.accepted[1], "second")
            await hall.waiter.yield()
            for client in hall.clients { try client.send("x") }
            return await hall.heard(3)
        }
        #expect(order == ["first", "after the first", "second"])
    }

    @Test func `tasks that wake each other for ever keep nobody from the sockets`() async throws {
        let order = try await Bench.run { bench in
            let hall = try await Hall(bench)
            let (ping, pong) = (Waiter(bench.loop.core), Waiter(bench.loop.core))
            for (own, other) in [(ping, pong), (pong, ping)] {
                Task {
                    bench.assertIsolated()
                    while hall.notes.isEmpty {
                        other.wake()
                        await own.park()
                    }
                    other.wake()
                }
            }
            bench.wait(in: hall, for: hall.accepted[0], "heard")
            await hall.waiter.yield()
            try hall.clients[0].send("x")
            return await hall.heard(1)
        }
        #expect(order == ["heard"])
    }
}

/// Sockets of one loop: two that were accepted, and one that was connected; with those at their other ends.
///
/// Confined to the loop of its bench.
private final class Hall {
    let waiter: Waiter
    let clients: [RawConnection]
    private(set) var accepted: [Socket] = []
    let connected: Socket
    /// At the other end of ``connected``.
    let origin: Socket
    private(set) var notes: [String] = []

    init(_ bench: isolated Bench) async throws {
        let core = bench.loop.core
        waiter = Waiter(core)
        let listener = try Listener(.loopback(.ipv4, port: 0), sharing: false)
        let listening = try listener.attach(to: core)
        listening.notify(waiter)
        let port = listener.address.port
        clients = [try .connect(port), try .connect(port)]
        waiter.deadline = Instant.now().after(60_000_000_000)
        connected = try await Connector.connect(to: [.loopback(.ipv4, port: 0)], port: port, on: waiter).socket
        listening.readiness.pointee.isReadable = true
        // In the order in which they connected.
        for _ in 0..<3 {
            let descriptor = try #require(try listening.accept())
            accepted.append(try Socket(descriptor, core))
        }
        origin = accepted.removeLast()
        listening.close()
    }

    func note(_ text: String) {
        notes.append(text)
        waiter.wake()
    }

    func heard(_ count: Int) async -> [String] {
        while notes.count < count, !waiter.isExpired { await waiter.park() }
        waiter.retire()
        return notes
    }
}

extension Bench {
    /// Lets a task of its own wait for bytes on a socket, and note that they came.
    fileprivate func wait(in hall: Hall, for socket: Socket, _ note: String, then next: @escaping () -> Void = {}) {
        let own = Waiter(loop.core)
        socket.notify(own)
        // What the poller says of every new socket is not what is waited for.
        socket.readiness.pointee.isReadable = false
        Task {
            assertIsolated()
            while !socket.readiness.pointee.isReadable { await own.park() }
            next()
            hall.note(note)
        }
    }
}
