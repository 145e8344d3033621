import Exchanges
import Profiles
import Reactor

/// A piece of a body with the time to wait before it, in nanoseconds.
struct PacedPiece {
    let wait: UInt64
    let bytes: ArraySlice<UInt8>
}

extension ClientExchange {
    /// Sends a message that is at hand on the way of an origin's response, so that the same is changed in it.
    ///
    /// - Parameters:
    ///   - message: its beginning, or all of it.
    ///   - pieces: the rest of it, each in its time.
    func relay(_ message: [UInt8], _ pieces: [PacedPiece] = [], as use: OriginUse) async throws(EngineFailure) {
        beginPumps(.discard)
        let channel = MemoryChannel(state.buffers)
        channel.notify(client.waiter)
        channel.receive(message)
        let feed = pieces.isEmpty ? nil : PieceFeed(pieces, channel, state)
        if feed == nil { channel.receiveEnd() }
        let origin = OriginConnection(
            channel, state.pool(of: use.origin), .loopback(.ipv4, port: 0), OriginConnection.ConnectTimings())
        var relay = OriginRelay(self, origin, use, nil)
        do throws(EngineFailure) {
            try await relay.run()
            relay.end()
            feed?.end()
        } catch {
            relay.end()
            feed?.end()
            origin.close()
            throw error
        }
    }
}

/// Gives a connection in memory the rest of its message, each piece in its time.
private final class PieceFeed: LoopTask {
    private let pieces: [PacedPiece]
    private let channel: MemoryChannel
    private let state: WorkerState
    private let waiter: Waiter
    private var isOver = false

    init(_ pieces: [PacedPiece], _ channel: MemoryChannel, _ state: WorkerState) {
        (self.pieces, self.channel, self.state) = (pieces, channel, state)
        waiter = Waiter(state.core)
        state.spawn(self)
    }

    func end() {
        isOver = true
        waiter.wake()
    }

    func run() async {
        for piece in pieces {
            if piece.wait > 0 {
                waiter.deadline = state.core.now.after(piece.wait)
                while !isOver, !waiter.isExpired { await waiter.park() }
            }
            if isOver { break }
            channel.receive(piece.bytes)
        }
        if !isOver { channel.receiveEnd() }
        waiter.retire()
    }
}
