import Profiles
import Reactor
import TLS

extension OriginConnection {
    /// Opens a new connection: name look-up, TCP, TLS, all within `limit`.
    /// - Parameter alpn: the application protocols to offer instead of the origin's.
    static func open(
        _ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter, within limit: UInt64, alpn: [String]? = nil
    ) async throws(EngineFailure) -> OriginConnection {
        let plan = pool.plan
        if let expiry = plan.address.trustExpiry, state.clock() >= expiry { throw .expired(plan.address) }
        var timings = ConnectTimings()
        let start = state.core.clock()
        waiter.deadline = start.after(limit)
        let address = plan.address
        let server = plan.way.server(isTLS: address.isTLS, host: address.host, port: address.port, state.next)
        let opened = try await OutgoingConnection.open(
            to: address, by: server, reach: plan.reach, state, waiter, limit: limit)
        (timings.resolve, timings.connect) = (opened.resolveTime, opened.connectTime)
        pool.didResolve(opened.candidates, state)
        let connected = state.core.clock()
        opened.socket.notify(waiter)
        let channel = SocketChannel(opened.socket, state.loop.buffers, small: state.loop.smallBuffers)
        var note: String?
        if let context = plan.context {
            do throws(EngineFailure) {
                let session = try await handshake(context, pool, opened.socket, waiter, state, limit, alpn)
                channel.secure(with: session)
                if let options = context.revocation {
                    note = try await inquire(options, session, opened.address, plan, waiter, state)
                }
                let faults = session.forgivenFaults
                if !faults.isEmpty {
                    let text = "it has faults that browsers forgive: \(faults.joined(separator: ", "))"
                    note = note.map { "\($0); \(text)" } ?? text
                }
            } catch {
                opened.socket.close()
                throw error
            }
            timings.tls = state.core.clock() - connected
        }
        timings.connectedAt = state.core.clock()
        let connection = OriginConnection(channel, pool, opened.address, timings)
        connection.trustNote = note
        return connection
    }

    /// Asks about revocation; returns what has to be told besides.
    private static func inquire(
        _ options: RevocationOptions, _ session: Session, _ address: SocketAddress, _ plan: OriginPlan,
        _ waiter: Waiter, _ state: WorkerState
    ) async throws(EngineFailure) -> String? {
        let inquiry = RevocationInquiry(
            options: options, allowsPrivate: !isPublicHost(address.host), state: state, waiter: waiter)
        do throws(TLSFailure) {
            return try await inquiry.run(session)
        } catch {
            throw .untrusted(plan.address, error)
        }
    }

    private static func handshake(
        _ context: ClientContext, _ pool: OriginPool, _ socket: Socket, _ waiter: Waiter, _ state: WorkerState,
        _ limit: UInt64, _ alpn: [String]?
    ) async throws(EngineFailure) -> Session {
        let address = pool.plan.address
        do {
            let session = try Session(
                client: context, readiness: socket.readiness, host: address.host, resumption: pool.resumption,
                alpn: alpn)
            while true {
                switch try session.handshake() {
                case .bytes: return session
                case .end: throw TLSFailure(.truncated, "the connection was closed in the middle of the TLS handshake")
                case .wantRead, .wantWrite:
                    if waiter.isExpired || state.isAborting {
                        throw EngineFailure.slow(
                            address, .tls, "did not finish the TLS handshake", limit,
                            option: "--connect-timeout")
                    }
                    await waiter.park()
                }
            }
        } catch let failure as EngineFailure {
            throw failure
        } catch let failure as TLSFailure {
            throw .untrusted(address, failure)
        } catch {
            throw EngineFailure(.proxy, .tls, status: 502, "no TLS connection to origin \(address): \(error)")
        }
    }
}
