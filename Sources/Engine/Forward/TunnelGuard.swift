import Profiles
import Reactor

/// Keeps what clients of the proxy send from production, where nothing but host and port is known.
struct TunnelGuard {
    let exchange: ClientExchange
    private var lookUp: ProductionLookUp { ProductionLookUp(client: exchange.client) }

    /// Throws if a tunnel that is open leads to production by the present profiles, and that is locked.
    func admitAgain(_ way: inout TunnelWay, _ environment: Environment) async throws(EngineFailure) {
        exchange.request.choose(environment)
        way.unlocked = []
        for name in way.names { way.unlocked += try admit(to: name, port: way.target.port) }
        way.unlocked += try admit(by: await productionGuard(at: way.judged, port: way.target.port))
    }

    /// Throws if a tunnel to a host would reach production that is locked; returns the profiles that are unlocked there.
    func admit(to host: String, port: UInt16) throws(EngineFailure) -> [String] {
        if PushHost.isProduction(host) { try OriginGuard.admitToPush(.plain(host: host, port: port), exchange.request) }
        return try admit(by: exchange.request.environment?.library.forwardGuard(host: host, port: port))
    }

    /// Throws if a tunnel would reach production that is locked: what it carries cannot be judged.
    ///
    /// - Returns: the profiles that are unlocked, without which it must not go on.
    func admit(by guarded: WriteGuard?) throws(EngineFailure) -> [String] {
        guard let guarded else { return [] }
        let locked = guarded.profiles.filter { !exchange.state.locks.isUnlocked($0) }
        guard locked.isEmpty else {
            throw .guarded(locked: locked, "a tunnel can carry anything, and Shunt does not read it", guarded.reason)
        }
        exchange.metrics.incidents.isUnlocked = true
        return guarded.profiles
    }

    /// The guard of a request to a host that is a bare address, or a name of this machine or its networks, nil if that
    /// is not production; and the addresses that were judged, to which the connection must go: none where its name says
    /// enough.
    ///
    /// Public names may share production's address, as those behind one gateway do.
    func productionGuard(
        of target: ForwardTarget, isTLS: Bool
    ) async throws(EngineFailure) -> (guarded: WriteGuard?, addresses: [SocketAddress]) {
        guard !productionHosts(at: target.port).isEmpty else { return (nil, []) }
        let found: [SocketAddress]
        if let literal = SocketAddress(literal: target.host, port: target.port) {
            found = [literal]
        } else {
            do throws(ResolutionError) {
                found = try await lookUp.addresses(of: target.host)
            } catch {
                // A proxy on the way may know names that are unknown here.
                let isIndirect = exchange.state.next.server(isTLS: isTLS, host: target.host, port: target.port) != nil
                if isIndirect, case .failed = error { return (nil, []) }
                throw .unresolved(.plain(host: target.host, port: target.port), error)
            }
        }
        let closed = target.isAddress ? found : found.filter { !$0.isPublic }
        return (await productionGuard(at: closed, port: target.port), found)
    }

    /// The guard of what is at these addresses; nil if that is not production.
    ///
    /// An address of another machine is taken for production's where that cannot be looked up.
    func productionGuard(at addresses: [SocketAddress], port: UInt16) async -> WriteGuard? {
        guard !addresses.isEmpty else { return nil }
        return try? await lookUp.verdict(on: addresses, productionHosts(at: port)) { !$0.carried.isLoopback }.guarded
            .get()
    }

    private func productionHosts(at port: UInt16) -> [ProductionHost] {
        exchange.request.environment?.library.productionHosts(port: port) ?? []
    }
}

extension ForwardTarget {
    /// It is an address, also of IPv4 in a spelling that the resolver alone reads, such as `0x7f.1`: no name ends in a
    /// label that begins with a digit.
    var isAddress: Bool {
        SocketAddress(literal: host, port: port) != nil || host.split(separator: ".").last?.first?.isNumber == true
    }
}
