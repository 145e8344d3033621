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

        init() {}

        fileprivate init(_ counters: WorkerState.Counters, idleOriginConnections: Int) {
            workers = 1
            connections = counters.connections
            active = counters.active
            webSockets = counters.webSockets
            exchanges = counters.exchanges
            failures = counters.failures
            connecting = counters.connecting
            openTunnels = counters.openTunnels
            tunnels = counters.tunnels
            self.idleOriginConnections = idleOriginConnections
        }

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
        for worker in workers {
            status.add(
                Status(await worker.counters, idleOriginConnections: await worker.idleOriginConnections()))
        }
        return status
    }
}
