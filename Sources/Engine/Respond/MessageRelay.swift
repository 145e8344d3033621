import Exchanges
import Profiles
import Reactor

/// A piece of a body with the time to wait before it, in nanoseconds.
struct PacedPiece {
    let wait: UInt64
    let bytes: ArraySlice<UInt8>

    /// The same in the chunked coding (RFC 9112 7.1), where nothing is no chunk.
    var asChunk: PacedPiece {
        guard !bytes.isEmpty else { return self }
        let size = Array("\(String(bytes.count, radix: 16))\r\n".utf8)
        return PacedPiece(wait: wait, bytes: (size + bytes + "\r\n".utf8)[...])
    }

    /// The end of a body in the chunked coding.
    static let lastChunk = PacedPiece(wait: 0, bytes: Array("0\r\n\r\n".utf8)[...])
}

/// Where a message's pieces come from.
///
/// Confined to the worker of its exchange.
protocol PieceSource: AnyObject {
    /// The message has no end behind the last piece: it ends with its client.
    var staysOpen: Bool { get }
    /// nil behind the last one.
    func next() -> PacedPiece?
}

/// Pieces that follow from what the client sends meanwhile.
protocol ListeningSource: PieceSource {
    /// There is nothing more to be heard: behind the last piece the message ends.
    var hasEnded: Bool { get }
    /// Takes bytes of the request's body; then there may be pieces again.
    func take(_ bytes: [UInt8], isLast: Bool)
}

/// Pieces of a list, once, or again and again.
final class ListedPieces: PieceSource {
    private let pieces: [PacedPiece]
    let staysOpen: Bool
    /// What each round but the first waits before it begins; nil for one round.
    private let pause: UInt64?
    private var at = 0

    /// - Parameter repeats: a round takes a second at least.
    init(_ pieces: [PacedPiece], staysOpen: Bool = false, repeats: Bool = false) {
        (self.pieces, self.staysOpen) = (pieces, staysOpen)
        let time = pieces.reduce(UInt64(0)) { $0.addingReportingOverflow($1.wait).partialValue }
        pause = repeats && !pieces.isEmpty ? Limits.second - min(time, Limits.second) : nil
    }

    func next() -> PacedPiece? {
        if at == pieces.count, let pause {
            at = 0
            if pause > 0 { return PacedPiece(wait: pause, bytes: []) }
        }
        guard at < pieces.count else { return nil }
        at += 1
        return pieces[at - 1]
    }
}

/// Sends messages that are at hand as if an origin of a route had sent them.
struct MessageRelay {
    let exchange: ClientExchange
    let use: OriginUse

    /// Sends a message that is at hand on the way of an origin's response, so that the same is changed in it.
    ///
    /// - Parameters:
    ///   - message: its beginning, or all of it.
    ///   - rest: what follows, each piece in its time; nil for nothing.
    func send(_ message: [UInt8], _ rest: (any PieceSource)? = nil) async throws(EngineFailure) {
        let state = exchange.state
        let isHeard = rest is any ListeningSource
        OriginRelay.beginPumps(exchange, isHeard ? .stream : .discard)
        let channel = MemoryChannel(state.loop.buffers, window: isHeard ? PieceFeed.window : .max)
        channel.notify(exchange.client.waiter)
        channel.receive(message)
        let feed = rest.map { PieceFeed(channel, $0, state) }
        defer { feed?.waiter.cancel() }
        if let feed { state.loop.spawn(feed) } else { channel.receiveEnd() }
        let origin = OriginConnection(
            channel, state.pools[use.origin], .loopback(.ipv4, port: 0), OriginConnection.ConnectTimings())
        var relay = OriginRelay(exchange, origin, use, nil)
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
    /// Bytes that may wait for a client.
    private static let maxUnread = 256 << 10
    /// How many bytes of a request may wait for a source that reads them: as many as one turn gives.
    fileprivate static let window = 4 << 10

    private let channel: MemoryChannel
    private let source: any PieceSource
    private let state: WorkerState
    let waiter: Waiter

    init(_ channel: MemoryChannel, _ source: any PieceSource, _ state: WorkerState) {
        (self.channel, self.source, self.state, waiter) = (channel, source, state, Waiter(state.core))
        channel.writer = waiter
    }

    func run() async {
        await send()
        if let listener = source as? any ListeningSource {
            while !waiter.isCancelled, !listener.hasEnded {
                if !hear(listener) {
                    waiter.deadline = .never
                    await waiter.park()
                }
                await send()
            }
        }
        while source.staysOpen, !waiter.isCancelled {
            waiter.deadline = .never
            await waiter.park()
        }
        if !waiter.isCancelled { channel.receiveEnd() }
        channel.writer = nil
        waiter.retire()
    }

    /// Hands on what the client has sent; false for nothing.
    private func hear(_ listener: any ListeningSource) -> Bool {
        let isLast = channel.hasFinishedWriting && channel.isFlushed
        let bytes = channel.takeSent()
        guard !bytes.isEmpty || isLast else { return false }
        channel.widen(by: bytes.count)
        listener.take(bytes, isLast: isLast)
        return true
    }

    /// All pieces that there are at present.
    private func send() async {
        while !waiter.isCancelled, let piece = source.next() {
            if piece.wait > 0 {
                let end = state.core.now.after(piece.wait)
                while !waiter.isCancelled, state.core.now < end {
                    waiter.deadline = end
                    await waiter.park()
                }
            }
            while !waiter.isCancelled, channel.unreadCount > Self.maxUnread {
                waiter.deadline = .never
                await waiter.park()
            }
            if !waiter.isCancelled, !piece.bytes.isEmpty { channel.receive(piece.bytes) }
        }
    }
}
