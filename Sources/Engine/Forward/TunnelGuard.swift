import Profiles
import Reactor

/// Recognises production behind an address, where the name that a tunnel leads to says nothing.
extension ClientExchange {
    /// Throws if a tunnel to an address leads to an origin of a production profile that is locked.
    ///
    /// Production is looked up by name, since its addresses change. A name that has no address now passes.
    func admitTunnel(to target: ForwardTarget, at address: SocketAddress) async throws(EngineFailure) {
        for origin in productionOrigins(at: target.port) {
            client.waiter.deadline = state.core.clock().after(state.limits.connectTime)
            guard let addresses = await addresses(of: origin.host),
                addresses.contains(where: { $0.isSame(as: address) })
            else { continue }
            let locked = origin.guarded.profiles.filter { !state.locks.isUnlocked($0) }
            guard locked.isEmpty else {
                throw .guarded(
                    locked: locked, "a tunnel can carry anything, and Shunt does not read it", origin.guarded.reason)
            }
            metrics.isUnlocked = true
        }
    }

    private func productionOrigins(at port: UInt16) -> [(host: String, guarded: WriteGuard)] {
        request.environment?.library.productionOrigins(port: port) ?? []
    }

    private func addresses(of host: String) async -> [SocketAddress]? {
        do throws(ResolutionError) {
            return try await state.resolver.addresses(of: host, on: client.waiter)
        } catch {
            return nil
        }
    }
}

extension SocketAddress {
    /// The same host, as far as addresses tell: all of this machine's own are one.
    fileprivate func isSame(as other: SocketAddress) -> Bool {
        let (mine, theirs) = (unmapped, other.unmapped)
        if mine.bytes == theirs.bytes { return true }
        let own = NetworkInterface.all().map(\.address.bytes)
        return [mine, theirs].allSatisfy { $0.isLoopback || own.contains($0.bytes) }
    }
}
