import Synchronization

/// Finds the programs of this machine that connections come from, by the sockets at their other ends.
///
/// The calls take some hundred microseconds, and more where there are many processes: they are for threads, not for
/// loops.
public final class ProgramFinder: Sendable {
    /// Processes that were found last, the newest first: the next connection is likely to be one of theirs.
    private let recent = Mutex<[Int32]>([])
    private static let limit = 16

    public init() {}

    /// Whether a client may be a program that is found: one of this machine, or of a network within it.
    public static func mayFind(_ client: SocketAddress) -> Bool {
        isHere(client) || knowsNamespaces && !client.isPublic
    }

    static func isHere(_ client: SocketAddress) -> Bool {
        client.isLoopback || NetworkInterface.ownAddresses().contains(client.bytes)
    }

    /// The program that has opened a connection to this process.
    ///
    /// - Parameters:
    ///   - client: the address that the connection comes from.
    ///   - server: the address that it arrived at.
    /// - Returns: nil for another user's, and where the system does not tell.
    public func program(client: SocketAddress, server: SocketAddress) -> LocalProgram? {
        let known = recent.withLock { $0 }
        guard let (process, program) = Self.find(client: client, server: server, first: known) else { return nil }
        recent.withLock { recent in
            recent.removeAll { $0 == process }
            recent.insert(process, at: 0)
            if recent.count > Self.limit { recent.removeLast() }
        }
        return program
    }
}
