import Profiles
import Reactor

/// Recognises production behind an address, where the name that a client of the proxy gives says nothing.
extension ClientExchange {
    /// The guard of a request to a host that is a bare address, or a name of this machine or its networks; nil if that
    /// is not production.
    ///
    /// Public names may share production's address, as those behind one gateway do.
    func productionGuard(of target: ForwardTarget) async -> WriteGuard? {
        guard !productionHosts(at: target.port).isEmpty else { return nil }
        if let literal = SocketAddress(literal: target.host, port: target.port) {
            return await productionGuard(at: [literal], port: target.port)
        }
        guard let found = try? await addresses(of: target.host) else { return nil }
        return await productionGuard(
            at: target.isNumber ? found : found.filter { !$0.isPublic }, port: target.port)
    }

    /// The guard of what is at these addresses; nil if that is not production.
    func productionGuard(at addresses: [SocketAddress], port: UInt16) async -> WriteGuard? {
        guard !addresses.isEmpty else { return nil }
        return try? await verdict(on: addresses, productionHosts(at: port)).guarded.get()
    }

    private func productionHosts(at port: UInt16) -> [ProductionHost] {
        request.environment?.library.productionHosts(port: port) ?? []
    }
}

extension ForwardTarget {
    /// It is an address of IPv4 in a spelling that the resolver alone reads, such as `0x7f.1`: no name ends in a label
    /// that begins with a digit.
    var isNumber: Bool { host.split(separator: ".").last?.first?.isNumber == true }
}
