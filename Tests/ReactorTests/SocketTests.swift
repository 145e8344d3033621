import Bytes
import Reactor
import TestSupport
import Testing

/// What is known of a connection when one of its ends, or both, have closed it.
@Suite struct SocketTests {
    private enum Step: Sendable { case endOwn, endPeer, resetPeer, closePeer }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ([.endOwn], false, false), ([.endPeer], true, false), ([.endOwn, .endPeer], true, true),
            ([.endPeer, .endOwn], true, true), ([.endOwn, .resetPeer], true, true), ([.resetPeer], true, true),
            ([.closePeer], true, false),
        ] as [([Step], Bool, Bool)])
    private func `the end of what this side writes is no end of the connection`(
        steps: [Step], isHungUp: Bool, isBroken: Bool
    ) async throws {
        let state = try await Bench.run { bench in
            let core = bench.loop.core
            let listener = try Listener(.loopback(.ipv4, port: 0), sharing: false)
            let (waiter, other) = (Waiter(core), Waiter(core))
            let server = try listener.attach(to: core)
            server.notify(other)
            waiter.deadline = Instant.now().after(30_000_000_000)
            let (own, _) = try await Connector.connect(
                to: [.loopback(.ipv4, port: 0)], port: listener.address.port, on: waiter)
            own.notify(waiter)
            var accepted = try server.accept()
            while accepted == nil {
                await other.park()
                accepted = try server.accept()
            }
            let peer = try Socket(try #require(accepted), core)
            for step in steps {
                switch step {
                case .endOwn: own.shutdownWrite()
                case .endPeer: peer.shutdownWrite()
                case .closePeer: peer.close()
                case .resetPeer:
                    peer.resetOnClose()
                    peer.close()
                }
            }
            var flags = own.readiness.pointee
            while (flags.isHungUp, flags.isBroken) != (isHungUp, isBroken), !waiter.isExpired {
                await waiter.park()
                flags = own.readiness.pointee
            }
            // What comes later must not be more.
            for _ in 0..<20 { await waiter.yield() }
            flags = own.readiness.pointee
            for waiter in [waiter, other] { waiter.retire() }
            for socket in [own, peer, server] { socket.close() }
            return (flags.isHungUp, flags.isBroken)
        }
        #expect(state == (isHungUp, isBroken))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a file is sent in parts where the client is slow, and no byte of it twice`() async throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try folder.write("big", String(decoding: bytes.map { $0 & 0x7F }, as: UTF8.self))
        let text = bytes.map { $0 & 0x7F }
        let (got, none) = try await Bench.run { bench in
            let core = bench.loop.core
            let file = try #require(Folder(folder.path).open(Array("big".utf8)))
            let listener = try Listener(.loopback(.ipv4, port: 0), sharing: false)
            let waiter = Waiter(core)
            let server = try listener.attach(to: core)
            server.notify(waiter)
            let (own, _) = try await Connector.connect(
                to: [.loopback(.ipv4, port: 0)], port: listener.address.port, on: waiter)
            own.notify(waiter)
            var accepted = try server.accept()
            while accepted == nil {
                await waiter.park()
                accepted = try server.accept()
            }
            let peer = try Socket(try #require(accepted), core)
            peer.notify(waiter)
            let none = try own.send(file, from: 0, count: 0)
            var (at, got) = (0, [UInt8]())
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 50_000, alignment: 1)
            defer { room.deallocate() }
            while got.count < text.count {
                at += try own.send(file, from: UInt64(at), count: text.count - at)
                if case .bytes(let count) = try peer.read(into: room) {
                    got += room[..<count]
                } else {
                    await waiter.park()
                }
            }
            waiter.retire()
            for socket in [own, peer, server] { socket.close() }
            return (got, none)
        }
        #expect(got == text && none == 0)
    }
}
