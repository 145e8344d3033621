import Bytes
import Profiles
import Reactor

/// Carries bytes both ways between a client and a host, unread, until both have ended.
///
/// One task for both directions, as ``OriginRelay``.
struct Tunnel: ~Copyable {
    /// Turns, and steps of a turn, without a pause before other connections get theirs.
    private static let maxTurns = 4
    private static let maxSteps = 4

    private let exchange: ClientExchange
    private let client: Client
    private let near: Channel
    private let far: SocketChannel
    private let limits: Limits
    /// nil where it was judged before.
    private var way: TunnelWay?
    /// The profiles by which the way was judged.
    private var library: ProfileLibrary?
    private var up = Lane()
    private var down = Lane()

    private struct Lane {
        var count: UInt64 = 0
        /// The source has ended and the sink was told.
        var isOver = false
    }

    init(_ exchange: ClientExchange, _ far: SocketChannel, _ way: TunnelWay?) {
        self.exchange = exchange
        client = exchange.client
        self.far = far
        self.way = way
        library = exchange.request.environment?.library
        near = client.channel
        limits = client.state.limits
    }

    var bytes: (up: UInt64, down: UInt64) { (up.count, down.count) }

    /// Returns at the end, also where one side broke off.
    mutating func run() async throws(EngineFailure) {
        let waiter = client.waiter
        far.notify(waiter)
        var turns = 0
        while true {
            // Clients keep tunnels open for hours, and send one request after the other in them.
            try await judge()
            do throws(ChannelFailure) {
                while try turn() {
                    if up.isOver && down.isOver { return }
                    turns += 1
                    if turns % Self.maxTurns == 0 { break }
                }
            } catch {
                // The other side has to see that something was cut off.
                far.abort()
                throw .clientLeft("the tunnel broke: \(error.message)")
            }
            if up.isOver && down.isOver { return }
            if client.state.isAborting { throw .aborted }
            if turns > 0, turns % Self.maxTurns == 0 {
                turns = 0
                await waiter.yield()
                continue
            }
            turns = 0
            if near.isBroken || far.isBroken { return }
            if client.state.hasCuts, near.wire?.network?.cutsOrigins == true {
                near.abort()
                throw .clientLeft("its network reaches no origin any more")
            }
            near.releaseBuffers()
            far.releaseBuffers()
            waiter.deadline = client.state.core.now.after(limits.tunnelTime)
            await waiter.park()
            if client.state.isAborting { throw .aborted }
            if waiter.isExpired {
                throw .clientLeft("the tunnel was silent for \(limits.tunnelTime / Limits.second) s")
            }
        }
    }

    /// Throws where it leads to production that is locked: by profiles that were read anew, or because time is over.
    private mutating func judge() async throws(EngineFailure) {
        guard var way else { return }
        defer { self.way = way }
        do throws(EngineFailure) {
            if let environment = client.state.currentEnvironment, environment.library !== library {
                library = environment.library
                try await TunnelGuard(exchange: exchange).admitAgain(&way, environment)
            }
            if let profile = way.unlocked.first(where: { !client.state.locks.isUnlocked($0) }) {
                throw EngineFailure(
                    .proxy, .deliver, status: 403, "\(profile) is read-only again: a tunnel to it can carry anything",
                    kind: .guarded(profiles: [profile]))
            }
        } catch {
            near.abort()
            far.abort()
            throw error
        }
    }

    /// Moves what can be moved; false when nothing can.
    private mutating func turn() throws(ChannelFailure) -> Bool {
        let hasSent = try Self.step(&up, from: near, to: far)
        let hasReceived = try Self.step(&down, from: far, to: near)
        return hasSent || hasReceived
    }

    private static func step(_ lane: inout Lane, from source: Channel, to sink: Channel) throws(ChannelFailure) -> Bool
    {
        guard !lane.isOver, try sink.flush() else { return false }
        var hasMoved = false
        for _ in 0..<maxSteps {
            if !source.input.isEmpty {
                let sent = try sink.send(source.input.unsafeBytes)
                source.input.consume(sent)
                lane.count += UInt64(sent)
                if sent > 0 { hasMoved = true }
                guard source.input.isEmpty, try sink.flush() else { return hasMoved }
            }
            switch try source.fill() {
            case .bytes: hasMoved = true
            case .wouldBlock: return hasMoved
            case .end:
                sink.finishWriting()
                lane.isOver = true
                return true
            }
        }
        return hasMoved
    }
}
