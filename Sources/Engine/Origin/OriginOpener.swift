import Reactor

/// Opens one connection in a task of its own.
///
/// Name look-up, TCP and TLS take memory that the task of an exchange, also of each HTTP/2 stream, would keep.
final class OriginOpener: LoopTask {
    private let pool: OriginPool
    private let state: WorkerState
    private let limit: UInt64
    private let alpn: [String]?
    /// The waiter of the task that wants the connection.
    private let user: Waiter
    private let waiter: Waiter
    private var result: Result<OriginConnection, EngineFailure>?

    private init(_ pool: OriginPool, _ state: WorkerState, _ user: Waiter, _ limit: UInt64, _ alpn: [String]?) {
        self.pool = pool
        self.state = state
        self.user = user
        self.limit = limit
        self.alpn = alpn
        waiter = Waiter(state.core)
    }

    /// Opens a new connection within `limit`.
    ///
    /// - Parameters:
    ///   - client: the opening ends where it leaves.
    ///   - alpn: the application protocols to offer instead of the origin's.
    static func open(
        _ pool: OriginPool, _ state: WorkerState, _ user: Waiter, from client: Channel, within limit: UInt64,
        alpn: [String]? = nil
    ) async throws(EngineFailure) -> OriginConnection {
        let opener = OriginOpener(pool, state, user, limit, alpn)
        state.loop.spawn(opener)
        while true {
            let hasLeft = client.hasPeerLeft
            if let result = opener.result {
                guard hasLeft else { return try result.get() }
                if case .success(let opened) = result { opened.close() }
                throw .clientClosed
            }
            if user.isCancelled || hasLeft {
                opener.waiter.cancel()
                await user.yield()
            } else {
                user.deadline = .never
                await user.park()
            }
        }
    }

    func run() async {
        waiter.note("a connection to \(pool.plan.name)")
        do throws(EngineFailure) {
            let opened = try await state.connector.connect(pool, state, waiter, within: limit, alpn: alpn)
            opened.channel.notify(user)
            result = .success(opened)
            state.mocks.reflections.didConnect(pool.plan.address)
        } catch {
            result = .failure(error)
        }
        waiter.retire()
        user.wake()
    }
}
