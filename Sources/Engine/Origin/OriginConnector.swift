package import Reactor

/// Opens connections of their own to origins; tests have one that opens them in memory.
package protocol OriginConnector {
    /// Opens a new connection to the origin of `pool` within `limit`, in a task that waits in `waiter`.
    /// - Parameter alpn: the application protocols to offer instead of the origin's.
    func connect(
        _ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter, within limit: UInt64, alpn: [String]?
    ) async throws(EngineFailure) -> OriginConnection

    /// Starts the programs of origins; nil where none are started.
    var launcher: (any ProgramLauncher)? { get }
}

extension OriginConnector {
    package var launcher: (any ProgramLauncher)? { nil }
}

/// Name look-up, TCP and TLS.
struct SocketConnector: OriginConnector {
    var launcher: (any ProgramLauncher)? { ShellLauncher() }

    func connect(
        _ pool: OriginPool, _ state: WorkerState, _ waiter: Waiter, within limit: UInt64, alpn: [String]?
    ) async throws(EngineFailure) -> OriginConnection {
        try await OriginConnection.open(pool, state, waiter, within: limit, alpn: alpn)
    }
}
