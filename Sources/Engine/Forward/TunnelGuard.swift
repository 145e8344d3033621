import Profiles
import Reactor

/// Recognises production behind an address, where the name that a client of the proxy gives says nothing.
///
/// Production is looked up by name, since its addresses change. A name that has no address now is not recognised.
extension ClientExchange {
    /// Throws if a tunnel to an address leads to an origin of a production profile that is locked.
    func admitTunnel(to target: ForwardTarget, at address: SocketAddress) async throws(EngineFailure) {
        try admitTunnel(by: await productionGuard(at: [address], port: target.port))
    }

    /// The guard of a request to a host that is a bare address, or a name of this machine or its networks; nil if that
    /// is not production.
    ///
    /// Public names may share production's address, as those behind one gateway do.
    func productionGuard(of target: ForwardTarget) async -> WriteGuard? {
        guard !productionOrigins(at: target.port).isEmpty else { return nil }
        if let literal = SocketAddress(literal: target.host, port: target.port) {
            return await productionGuard(at: [literal], port: target.port)
        }
        let found = await addresses(of: target.host)
        return await productionGuard(
            at: target.isNumber ? found : found.filter { !$0.isPublic }, port: target.port)
    }

    private func productionGuard(at addresses: [SocketAddress], port: UInt16) async -> WriteGuard? {
        guard !addresses.isEmpty else { return nil }
        var guards: [WriteGuard] = []
        for origin in productionOrigins(at: port) {
            let production = await self.addresses(of: origin.host)
            if production.contains(where: { one in addresses.contains { one.isSame(as: $0) } }) {
                guards.append(origin.guarded)
            }
        }
        return WriteGuard(guards)
    }

    private func productionOrigins(at port: UInt16) -> [(host: String, guarded: WriteGuard)] {
        request.environment?.library.productionOrigins(port: port) ?? []
    }

    private func addresses(of host: String) async -> [SocketAddress] {
        client.waiter.deadline = state.core.clock().after(state.limits.connectTime)
        do throws(ResolutionError) {
            return try await state.resolver.addresses(of: host, on: client.waiter)
        } catch {
            return []
        }
    }
}

extension ForwardTarget {
    /// It is an address of IPv4 in a spelling that the resolver alone reads, such as `0x7f.1`: no name ends in a label
    /// that begins with a digit.
    var isNumber: Bool { host.split(separator: ".").last?.first?.isNumber == true }
}

extension SocketAddress {
    /// The same host, as far as addresses tell: all of this machine's own are one.
    ///
    /// Systems connect to this machine where the address is unspecified (`0.0.0.0`, `::`).
    fileprivate func isSame(as other: SocketAddress) -> Bool {
        let (mine, theirs) = (carried, other.carried)
        if mine.bytes == theirs.bytes { return true }
        let own = NetworkInterface.all().map(\.address.bytes)
        return [mine, theirs].allSatisfy { address in
            address.isLoopback || own.contains(address.bytes) || address.bytes.allSatisfy { $0 == 0 }
        }
    }
}
