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
        let feed = PieceFeed(channel, pieces, state)
        defer { feed.waiter.cancel() }
        if pieces.isEmpty { channel.receiveEnd() } else { state.spawn(feed) }
        let origin = OriginConnection(
            channel, state.pool(of: use.origin), .loopback(.ipv4, port: 0), OriginConnection.ConnectTimings())
        var relay = OriginRelay(self, origin, use, nil)
        do throws(EngineFailure) {
            try await relay.run()
            relay.end()
        } catch {
            relay.end()
            origin.close()
            throw error
        }
    }
}

/// Gives a connection in memory the rest of its message, each piece in its time, until its waiter is cancelled.
private final class PieceFeed: LoopTask {
    private let channel: MemoryChannel
    private let pieces: [PacedPiece]
    private let state: WorkerState
    let waiter: Waiter

    init(_ channel: MemoryChannel, _ pieces: [PacedPiece], _ state: WorkerState) {
        (self.channel, self.pieces, self.state, waiter) = (channel, pieces, state, Waiter(state.core))
    }

    func run() async {
        for piece in pieces {
            if piece.wait > 0 {
                waiter.deadline = state.core.now.after(piece.wait)
                while !waiter.isExpired { await waiter.park() }
            }
            if waiter.isCancelled { break }
            channel.receive(piece.bytes)
        }
        if !waiter.isCancelled { channel.receiveEnd() }
        waiter.retire()
    }
}
