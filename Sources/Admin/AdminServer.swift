public import Engine
import Reactor
import Synchronization

/// The admin interface on its own listener: loopback, one thread, plain HTTP; and on one for other machines, by TLS.
public final class AdminServer: Sendable {
    private let proxy: Proxy
    private let handler: AdminHandler
    /// Host and port, such as `127.0.0.1:4885`.
    public let address: String
    public let port: UInt16
    public let token: AdminToken
    private let remote = Mutex<Proxy?>(nil)
    private let watch: Task<Void, Never>

    /// Starts it at a port of 127.0.0.1, 0 for any.
    public init(
        port: UInt16, token: AdminToken, for proxy: Proxy, facts: AdminFacts, actions: AdminActions
    ) async throws(ProxyError) {
        let handler = AdminHandler(proxy: proxy, token: token, facts: facts, actions: actions)
        self.handler = handler
        var limits = Limits()
        // Enough for a few commands and attached machines at a time; idle connections are closed soon.
        limits.connections = 256
        limits.idleTime = 30 * Limits.second
        // Commands send a request as soon as they are connected; a connection without a request is ended soon, or for a
        // new one.
        limits.makesRoom = true
        limits.silentTime = 2 * Limits.second
        limits.headTime = 2 * Limits.second
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: port)], limits: limits)
        configuration.held = proxy.held
        self.proxy = try await Proxy.start(configuration, handler: handler)
        self.port = self.proxy.addresses.first?.port ?? port
        self.token = token
        address = "127.0.0.1:\(self.port)"
        handler.listens(on: self.port)
        watch = Task { await handler.watchUsers() }
    }

    /// Ends it, requests under way included.
    public func stop() async {
        watch.cancel()
        handler.close()
        if let remote = remote.withLock({ $0 }) {
            await remote.abort()
            await remote.drain()
            remote.stop()
        }
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }

    /// Responds to other machines, too, by TLS; to be called once.
    ///
    /// - Returns: the URL.
    public func listen(_ settings: RemoteAdminSettings) async throws(ProxyError) -> String {
        var limits = Limits()
        limits.connections = 1024
        limits.clientConnections = 256
        limits.idleTime = 30 * Limits.second
        // As on loopback, with time for a handshake over a slow network. It counts from a connection's first moment.
        limits.makesRoom = true
        limits.silentTime = 5 * Limits.second
        limits.headTime = 5 * Limits.second
        let gatehouse = RemoteAdminHandler(handler)
        var configuration = Proxy.Configuration(
            addresses: [settings.address], limits: limits, identities: settings.identities)
        configuration.held = proxy.held
        let proxy = try await Proxy.start(configuration, handler: gatehouse)
        let door = AdminDoor.remote(
            names: settings.hosts, port: proxy.addresses.first?.port ?? settings.address.port,
            admitsOwner: settings.admitsOwner)
        gatehouse.open(door)
        remote.withLock { $0 = proxy }
        return door.url
    }
}
