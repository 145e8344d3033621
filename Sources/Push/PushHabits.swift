import Synchronization

/// Follows the providers of a stand-in over their connections.
///
/// Shared by all threads.
public final class PushHabits: Sendable {
    /// Connections in a row with one notification each, from which on it is a habit.
    private static let few = 3
    /// Seconds between two such connections.
    private static let near: Int64 = 60
    private static let maxKept = 1000

    private struct State {
        /// By the client's address.
        var clients: [String: (connection: UInt64, pushes: Int, single: Int, last: Int64)] = [:]
        /// By team and key.
        var tokens: [String: (hash: Int, since: Int64)] = [:]
        var connections: UInt64 = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Notes a notification whose token is good.
    /// - Parameters:
    ///   - client: without its port.
    ///   - now: seconds since 1970.
    public func note(
        client: @autoclosure () -> String, _ session: ProviderSession, now: Int64
    ) -> [PushWarning] {
        guard let token = session.token else { return [] }
        session.pushes += 1
        // A connection with several notifications and a known token shows nothing more.
        if session.pushes > 2, session.isTokenNoted { return [] }
        session.isTokenNoted = true
        let client = session.client ?? client()
        session.client = client
        let (key, hash) = ("\(token.teamID) \(token.keyID)", session.authorization.hashValue)
        return state.withLock { state in
            if state.clients.count >= Self.maxKept { state.clients.removeAll() }
            if state.tokens.count >= Self.maxKept { state.tokens.removeAll() }
            if session.number == 0 {
                state.connections += 1
                session.number = state.connections
            }
            var warnings: [PushWarning] = []
            var habit = state.clients[client] ?? (session.number, 0, 0, now)
            if habit.connection != session.number {
                habit.single = habit.pushes == 1 && now - habit.last <= Self.near ? habit.single + 1 : 0
                (habit.connection, habit.pushes) = (session.number, 0)
            }
            habit.pushes += 1
            habit.last = now
            if habit.pushes == 1, habit.single >= Self.few - 1 { warnings.append(.connectionPerPush) }
            state.clients[client] = habit
            if let known = state.tokens[key], known.hash != hash {
                if now - known.since < ProviderToken.minAge, now >= known.since { warnings.append(.tokenRenewedOften) }
                state.tokens[key] = (hash, now)
            } else if state.tokens[key] == nil {
                state.tokens[key] = (hash, now)
            }
            return warnings
        }
    }
}
