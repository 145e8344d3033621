import Bytes
import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct DataTests {
    let client: ClientContext
    let server: ServerContext

    init() throws {
        client = try ClientContext(policy: .none)
        server = try ServerContext(identities: .development(.ephemeral()))
    }

    private func connected(buffer: CInt? = nil) throws -> Wired {
        let wired = try Wired(client, server, buffer: buffer)
        try wired.shakeHands()
        return wired
    }

    @Test(arguments: [4096, 16384, 65536, 200_000], [1000, 65536])
    func `two megabytes pass through small socket buffers unchanged, both ways at once`(
        chunk: Int, room: Int
    ) throws {
        let wired = try connected(buffer: 8192)
        let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        var down = Transfer(from: wired.server, to: wired.client, body, chunk: chunk, room: room)
        var up = Transfer(from: wired.client, to: wired.server, body, chunk: chunk, room: room)
        while !(down.isDone && up.isDone) {
            try down.step()
            try up.step()
        }
        #expect(down.received == body)
        #expect(up.received == body)
        #expect(!wired.server.session.hasPendingOutput)
    }

    /// One direction of a bulk transfer.
    private struct Transfer {
        let sender: End
        let receiver: End
        let body: [UInt8]
        let chunk: Int
        let room: Int
        var sent = 0
        var received: [UInt8] = []

        init(from sender: End, to receiver: End, _ body: [UInt8], chunk: Int, room: Int) {
            (self.sender, self.receiver, self.body) = (sender, receiver, body)
            (self.chunk, self.room) = (chunk, room)
        }

        var isDone: Bool { received.count >= body.count }

        mutating func step() throws {
            sender.wake()
            receiver.wake()
            if sent < body.count {
                let outcome = try body.withUnsafeBytes {
                    try sender.session.write(
                        UnsafeRawBufferPointer(rebasing: $0[sent..<min(sent + chunk, body.count)]))
                }
                if case .bytes(let count) = outcome { sent += count }
            } else {
                _ = try sender.session.flush()
            }
            received += try receiver.read(room).bytes
        }
    }

    @Test func `a write after one that found the socket full may bring other bytes`() throws {
        let wired = try connected(buffer: 4096)
        var expected = ""
        var isFull = false
        for round in 0..<200 where !isFull {
            let piece = String(repeating: "\(round % 10)", count: 3000)
            switch try wired.server.write(piece) {
            case .bytes(let count): expected += piece.prefix(count)
            case .wantWrite: isFull = true
            case .wantRead, .end: Issue.record("unexpected")
            }
        }
        #expect(isFull)
        var received = ""
        for _ in 0..<200 where received.count < expected.count {
            received += try wired.client.readText()
            wired.server.wake()
            _ = try wired.server.session.flush()
        }
        #expect(received == expected)
        #expect(try wired.server.write("x") == .bytes(1))
        #expect(try wired.client.readText() == "x")
    }

    @Test func `a read that came back short marks the socket dry, and no system call follows`() throws {
        let wired = try connected()
        wired.client.wake()
        _ = try wired.client.read()
        _ = try wired.server.write("hello")
        wired.client.wake()
        #expect(try wired.client.read().bytes.count == 5)
        #expect(wired.client.readiness.pointee.isReadable == false)
        // More has come, but nobody has said so: only a system call could find it.
        _ = try wired.server.write("again")
        #expect(try wired.client.read().outcome == .wantRead)
        #expect(try wired.client.readText() == "again")
    }

    @Test func `after a hang-up a short read is not the last one`() throws {
        let wired = try connected()
        wired.client.wake()
        _ = try wired.client.read()
        _ = try wired.server.write("bye")
        wired.sockets.closeRight()
        wired.client.wake()
        wired.client.readiness.pointee.isHungUp = true
        #expect(try wired.client.read().bytes.count == 3)
        #expect(wired.client.readiness.pointee.isReadable)
        #expect(try wired.client.read().outcome == .end(clean: false))
    }

    @Test func `a full receive buffer clears nothing and an empty one says to wait`() throws {
        let wired = try connected()
        wired.server.wake()
        #expect(try wired.server.read().outcome == .wantRead)
        #expect(wired.server.readiness.pointee.isReadable == false)
    }

    @Test func `close_notify is a clean end, in both protocol versions`() throws {
        for newest in ProtocolVersion.allCases {
            let server = try ServerContext(identities: .development(.ephemeral()), newest: newest)
            let wired = try Wired(client, server)
            try wired.shakeHands()
            _ = try wired.server.write("bye")
            wired.server.session.shutdown()
            wired.sockets.closeRight()
            wired.client.wake()
            wired.client.readiness.pointee.isHungUp = true
            #expect(try wired.client.read().bytes.count == 3)
            #expect(try wired.client.read().outcome == .end(clean: true))
            #expect(try wired.client.read().outcome == .end(clean: true))
        }
    }

    @Test func `a bare end of the connection is not clean`() throws {
        let wired = try connected()
        wired.sockets.closeRight()
        wired.client.wake()
        _ = try wired.client.read()
        wired.client.wake()
        #expect(try wired.client.read().outcome == .end(clean: false))
    }

    @Test func `an end in the middle of a record is not clean`() throws {
        let wired = try connected(buffer: 4096)
        _ = try wired.server.write(String(repeating: "x", count: 16_000))
        #expect(wired.server.session.hasPendingOutput)
        wired.sockets.closeRight()
        var outcome = SessionOutcome.wantRead
        for _ in 0..<100 where outcome == .wantRead {
            wired.client.wake()
            outcome = try wired.client.read().outcome
        }
        #expect(outcome == .end(clean: false))
    }

    @Test func `writing to a peer that is gone fails with the system's words`() throws {
        let wired = try connected()
        wired.sockets.closeLeft()
        let failure = #expect(throws: TLSFailure.self) { _ = try wired.server.write("anybody there?") }
        guard case .system = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
        wired.server.session.shutdown()
    }

    @Test func `a record that was tampered with breaks the connection, after what came before it`() throws {
        let wired = try connected()
        _ = try wired.server.write("good")
        let forged: [UInt8] = [0x17, 3, 3, 0, 32] + [UInt8](repeating: 7, count: 32)
        #expect(forged.withUnsafeBytes { send(wired.sockets.right, $0.baseAddress, $0.count, 0) } == forged.count)
        wired.client.wake()
        #expect(String(decoding: try wired.client.read().bytes, as: UTF8.self) == "good")
        let failure = #expect(throws: TLSFailure.self) { _ = try wired.client.read() }
        #expect(failure?.message.contains("bad record mac") == true)
    }
}
