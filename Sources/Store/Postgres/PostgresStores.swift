import Postgres
import Synchronization

/// What this process knows of stores in PostgreSQL beside their addresses.
public enum PostgresStores {
    private static let keys = Mutex<[String: String]>([:])

    /// Whether the place of a store is a database, and not a file.
    public static func isAddress(_ path: String) -> Bool { PostgresSession.isAddress(path) }

    /// Throws if an address cannot be used, such as one with a password in it; connects to nothing.
    public static func check(_ path: String) throws(StoreFailure) {
        do throws(PostgresFailure) { _ = try PostgresAddress(path) } catch { throw StoreFailure(error, "PostgreSQL") }
    }

    /// Words for the server of an address, without its settings.
    public static func words(_ path: String) -> String { (try? PostgresAddress(path))?.description ?? "PostgreSQL" }

    /// Names the file with the key of a store that does not hold it itself.
    public static func setKey(_ path: String, file: String) { keys.withLock { $0[path] = file } }

    static func keyFile(_ path: String) -> String? { keys.withLock { $0[path] } }

    /// A connection that no reader uses at present.
    ///
    /// It is `@unchecked` because the list hands it to one owner at a time.
    private struct Idle: @unchecked Sendable {
        let path: String
        let session: PostgresSession
        let since: ContinuousClock.Instant
    }

    /// Connections that are kept, and how long: each costs the server memory, and opening one a handshake.
    private static let (maxIdle, idleTime) = (4, Duration.seconds(60))
    private static let idle = Mutex<[Idle]>([])

    /// Takes a reader's connection that is not in use.
    static func takeReader(_ path: String) -> PostgresSession? {
        idle.withLock { idle in
            idle.removeAll { $0.since.duration(to: .now) > idleTime }
            return idle.lastIndex { $0.path == path }.map { idle.remove(at: $0) }
        }?.session
    }

    /// Keeps a reader's connection for the next one.
    static func keepReader(_ path: String, _ session: PostgresSession) {
        let kept = Idle(path: path, session: session, since: .now)
        idle.withLock { idle in
            if idle.count >= maxIdle { idle.removeFirst() }
            idle.append(kept)
        }
    }
}
