extension Proxy {
    /// The state of a proxy, or of one of its workers, in numbers.
    public struct Status: Sendable {
        public var workers = 0
        public var connections = 0
        /// Exchanges under way.
        public var active = 0
        /// Exchanges under way that are WebSockets.
        public var webSockets = 0
        /// Exchanges that are over, since the start.
        public var exchanges: UInt64 = 0
        public var failures: UInt64 = 0
        public var idleOriginConnections = 0
        /// Exchanges that wait for a connection to an origin.
        public var connecting = 0
        /// Tunnels of a forward proxy's clients: those that are open, and all there were.
        public var openTunnels = 0
        public var tunnels: UInt64 = 0
        /// The same of each worker.
        public var each: [Status] = []

        package init() {}

        fileprivate mutating func add(_ worker: Status) {
            workers += 1
            connections += worker.connections
            active += worker.active
            webSockets += worker.webSockets
            exchanges += worker.exchanges
            failures += worker.failures
            connecting += worker.connecting
            openTunnels += worker.openTunnels
            tunnels += worker.tunnels
            idleOriginConnections += worker.idleOriginConnections
            each.append(worker)
        }
    }

    /// What it does at the moment.
    public func status() async -> Status {
        var status = Status()
        for worker in workers { status.add(await worker.status()) }
        return status
    }
}
