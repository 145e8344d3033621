import Profiles
import Reactor
import TLS

extension OriginConnection {
    /// Opens a new connection: name look-up, TCP, TLS, all within the limit for connecting.
    static func open(_ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter) async throws(EngineFailure)
        -> OriginConnection
    {
        let plan = pool.plan
        var timings = ConnectTimings()
        let start = Instant.now()
        waiter.deadline = start.after(state.limits.connectTime)
        let addresses: [SocketAddress]
        do throws(ResolutionError) {
            addresses = try await state.resolver.addresses(of: plan.address.host, on: waiter)
        } catch {
            throw .unresolved(plan.address, error)
        }
        let resolved = Instant.now()
        timings.resolve = resolved - start
        let opened: (socket: Socket, address: SocketAddress)
        do throws(ConnectError) {
            opened = try await Connector.connect(to: addresses, port: plan.address.port, on: waiter)
        } catch {
            throw .unconnected(plan.address, error, limit: state.limits.connectTime)
        }
        let connected = Instant.now()
        timings.connect = connected - resolved
        opened.socket.waiter = waiter
        let channel = Channel(opened.socket, state.buffers)
        if let context = plan.context {
            do throws(TLSFailure) {
                let session = try Session(
                    client: context, readiness: opened.socket.readiness, host: plan.address.host,
                    resumption: pool.resumption)
                try await handshake(session, plan.address, waiter, state)
                channel.secure(with: session)
            } catch {
                opened.socket.close()
                throw .untrusted(plan.address, error)
            }
            timings.tls = Instant.now() - connected
        }
        return OriginConnection(channel, pool, opened.address, timings)
    }

    private static func handshake(
        _ session: Session, _ address: OriginAddress, _ waiter: Waiter, _ state: WorkerState
    ) async throws(TLSFailure) {
        while true {
            switch try session.handshake() {
            case .bytes: return
            case .end: throw TLSFailure(.truncated, "the connection was closed in the middle of the TLS handshake")
            case .wantRead, .wantWrite:
                if waiter.isExpired || state.isAborting {
                    throw TLSFailure(.system(110), "the TLS handshake took longer than the time for connecting")
                }
                await waiter.park()
            }
        }
    }
}
