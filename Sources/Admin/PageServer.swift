public import Cluster
public import Engine
public import Reactor
public import TLS

/// The pages for devices on listeners of their own: one thread, HTTP and HTTPS on one port, as the proxy has it.
public final class PageServer: Sendable {
    private let server: Proxy
    public let addresses: [SocketAddress]

    /// Starts them.
    ///
    /// - Parameters:
    ///   - addresses: those of the proxy with another port, so that exactly its clients reach them.
    ///   - proxy: the proxy whose clients choose here.
    public init(
        addresses: [SocketAddress], identities: Identities, for proxy: Proxy, cluster: ClusterMember? = nil,
        didChange: @escaping @Sendable (DeviceEvent) -> Void
    ) async throws(ProxyError) {
        var authority: DevelopmentCA?
        if case .development(let own) = identities { authority = own }
        let pages = DevicePages(
            devices: proxy.devices, locks: proxy.locks, authority: authority, cluster: cluster,
            choose: { [weak proxy] in proxy?.choice(for: $0) },
            didChange: didChange)
        var limits = Limits()
        // Pages are small, and requested by hand.
        limits.connections = 256
        limits.makesRoom = true
        limits.headTime = 5 * Limits.second
        limits.silentTime = 10 * Limits.second
        limits.idleTime = 30 * Limits.second
        limits.bodyTime = 5 * Limits.second
        var configuration = Proxy.Configuration(addresses: addresses, limits: limits, identities: identities)
        configuration.held = proxy.held
        server = try await Proxy.start(configuration, handler: pages)
        self.addresses = server.addresses
        if let port = server.addresses.first?.port { pages.listens(on: port) }
    }

    public var port: UInt16 { addresses.first?.port ?? 0 }

    /// Ends them, requests under way included.
    public func stop() async {
        await server.abort()
        await server.drain()
        server.stop()
    }
}
