import Bytes
import HTTP2
import Platform
import Profiles
import Reactor

/// The connections of one worker to origins, and to the machines of users that respond in their place.
///
/// Confined to its worker.
package final class OriginPools {
    private let limit: Int
    /// Its pools are kept; a pool of an origin that a reload has replaced meanwhile is not.
    private var environment: Environment?
    /// By ``OriginPlan/index``; nil where no request has led to the origin yet.
    private let made = Box<[OriginPool?]>([])
    private let machines = Box<[AttachedOrigin]>([])

    /// - Parameter limit: of connections that rest in one pool.
    init(limit: Int) { self.limit = limit }

    private var pools: [OriginPool?] {
        _read { yield made.value }
        _modify { yield &made.value }
    }

    /// Machines of users that respond in place of origins.
    private(set) var attached: [AttachedOrigin] {
        _read { yield machines.value }
        _modify { yield &machines.value }
    }

    package subscript(_ origin: OriginPlan) -> OriginPool {
        if origin.index < pools.count, let pool = pools[origin.index], pool.plan === origin { return pool }
        return newPool(of: origin)
    }

    @inline(never)
    private func newPool(of origin: OriginPlan) -> OriginPool {
        if origin.attachment != nil, let known = attached.first(where: { $0.plan === origin }) { return known.pool }
        let isPresent = origin.index < pools.count && environment?.origins[origin.index] === origin
        let pool = OriginPool(origin, limit: isPresent ? limit : 0)
        if isPresent { pools[origin.index] = pool }
        return pool
    }

    /// Connections to origins that are open and that no exchange has for itself.
    package var idleCount: Int { open.reduce(0) { $0 + $1.idleCount } }

    /// The open pools of origins; the pools of users' machines are not among them.
    var open: some Sequence<OriginPool> { pools.lazy.compactMap(\.self) }

    /// Closes the pools of origins that another environment has no more.
    func follow(_ fresh: Environment) {
        for (index, pool) in pools.enumerated() {
            guard let pool, index >= fresh.origins.count || pool.plan !== fresh.origins[index] else { continue }
            pool.close()
            pools[index] = nil
        }
        let more = fresh.origins.count - pools.count
        if more > 0 { pools += [OriginPool?](repeating: nil, count: more) } else { pools.removeLast(-more) }
        environment = fresh
    }

    /// Lets requests be sent to the machine of a user on a connection that it has opened.
    func attach(_ descriptor: CInt, _ attachment: Attachment, _ state: WorkerState) throws(SystemError) {
        let channel = SocketChannel(
            try Socket(descriptor, state.core), state.loop.buffers, small: state.loop.smallBuffers)
        let origin = AttachedOrigin(attachment)
        var timings = OriginConnection.ConnectTimings()
        timings.connectedAt = state.core.now
        let address = attachment.client ?? .loopback(.ipv4, port: 0)
        do throws(HTTP2Failure) {
            try origin.pool.share(channel, OriginConnection(channel, origin.pool, address, timings), state)
        } catch {
            channel.close()
            throw SystemError("nghttp2_session_client_new", code: ENOMEM)
        }
        attached.append(origin)
    }

    /// Ends the connection of a user's machine where it is, if it is still there.
    func detach(_ attachment: Attachment) {
        for origin in attached where origin.attachment === attachment { origin.pool.breakOff() }
        attached.removeAll { $0.attachment === attachment }
    }

    /// Gives unused connections the few turns that they need for GOAWAY and their end.
    func settle(_ waiter: Waiter) async {
        let pools = open.map(\.self) + attached.map(\.pool)
        for pool in pools { pool.close() }
        for _ in 0..<64 where pools.contains(where: \.hasShared) { await waiter.yield() }
    }
}
