import Bytes
import HTTP
import Profiles
import Reactor

/// Which addresses an origin may be reached at.
struct OriginReach {
    /// A host whose name leads to this machine or into its networks is refused.
    var isPublicOnly = false
    /// The addresses that the guard of production has judged, which are not looked up again; empty where it judged none.
    var judged: [SocketAddress] = []
}

/// A connection to a host, direct or by way of another proxy: bytes in it go to the host.
struct OutgoingConnection {
    let socket: Socket
    /// Of the host, or of the proxy on the way.
    let address: SocketAddress
    /// Nanoseconds.
    let resolveTime: UInt64
    let connectTime: UInt64
    /// What the name of the host, or of the proxy, was found to mean; empty where it is an address or loopback.
    let candidates: [SocketAddress]

    /// Opens one until the waiter's deadline.
    /// - Parameters:
    ///   - limit: nanoseconds that the deadline was away, for messages.
    ///   - server: the proxy on the way; nil for none.
    static func open(
        to origin: OriginAddress, by server: NextProxies.Server?, reach: OriginReach = OriginReach(),
        _ state: WorkerState, _ waiter: Waiter, limit: UInt64
    ) async throws(EngineFailure) -> OutgoingConnection {
        guard let server else {
            return try await direct(to: origin, reach, state, waiter, limit)
        }
        if reach.isPublicOnly {
            // The proxy would resolve names by itself, and reach what this machine must not be asked for.
            try ForwardReach.check(try await addresses(of: origin, state, waiter), of: origin.authority)
        }
        let opened: OutgoingConnection
        do throws(EngineFailure) {
            let proxy = OriginAddress.plain(host: server.host, port: server.port)
            opened = try await direct(to: proxy, OriginReach(), state, waiter, limit)
        } catch {
            throw error.onTheWay(by: server, to: origin)
        }
        opened.socket.notify(waiter)
        do throws(EngineFailure) {
            var exchange = SmallExchange(SocketChannel(opened.socket, state.loop.buffers), waiter)
            try await exchange.ask(server, for: origin)
            return opened
        } catch {
            opened.socket.close()
            throw error
        }
    }

    private static func direct(
        to origin: OriginAddress, _ reach: OriginReach, _ state: WorkerState, _ waiter: Waiter, _ limit: UInt64
    ) async throws(EngineFailure) -> OutgoingConnection {
        let start = state.core.clock()
        let addresses =
            reach.judged.isEmpty ? try await addresses(of: origin, state, waiter) : reach.judged
        if reach.isPublicOnly { try ForwardReach.check(addresses, of: origin.authority) }
        let resolved = state.core.clock()
        do throws(ConnectError) {
            let opened = try await Connector.connect(to: addresses, port: origin.port, on: waiter)
            return OutgoingConnection(
                socket: opened.socket, address: opened.address, resolveTime: resolved - start,
                connectTime: state.core.clock() - resolved,
                candidates: Resolver.needsLookUp(origin.host) ? addresses : [])
        } catch {
            throw .unconnected(origin, error, limit: limit)
        }
    }

    private static func addresses(
        of origin: OriginAddress, _ state: WorkerState, _ waiter: Waiter
    ) async throws(EngineFailure) -> [SocketAddress] {
        do throws(ResolutionError) {
            return try await state.resolver.addresses(of: origin.host, on: waiter)
        } catch {
            throw .unresolved(origin, error)
        }
    }
}

extension EngineFailure {
    fileprivate func onTheWay(by server: NextProxies.Server, to origin: OriginAddress) -> EngineFailure {
        EngineFailure(
            .origin, stage, status: status, "the proxy \(server) on the way to \(origin) cannot be used: \(message)",
            advice: server.advice, kind: kind)
    }
}
