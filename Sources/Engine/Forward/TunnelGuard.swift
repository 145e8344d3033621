import Profiles
import Reactor

/// Recognises production behind an address, where the name that a client of the proxy gives says nothing.
extension ClientExchange {
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
                found = try await addresses(of: target.host)
            } catch {
                // A proxy on the way may know names that are unknown here.
                let isIndirect = state.next.server(isTLS: isTLS, host: target.host, port: target.port) != nil
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
        return try? await verdict(on: addresses, productionHosts(at: port)) { !$0.carried.isLoopback }.guarded.get()
    }

    private func productionHosts(at port: UInt16) -> [ProductionHost] {
        request.environment?.library.productionHosts(port: port) ?? []
    }
}

extension ForwardTarget {
    /// It is an address, also of IPv4 in a spelling that the resolver alone reads, such as `0x7f.1`: no name ends in a
    /// label that begins with a digit.
    var isAddress: Bool {
        SocketAddress(literal: host, port: port) != nil || host.split(separator: ".").last?.first?.isNumber == true
    }
}
