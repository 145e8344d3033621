import COpenSSL
import Platform

/// TLS sessions that one pool's connections to one origin gained, for its next ones.
///
/// Confined to the pool's loop. A session vouches for the verification it was made under, so it is only offered to
/// the same host under the same ``ClientContext``: asked with others, the store forgets what it has. The newest
/// goes first. A TLS 1.3 ticket is used once (RFC 8446, C.4); a TLS 1.2 session stays.
public final class ResumptionStore {
    private static let limit = 8
    private var sessions: [OpaquePointer] = []
    private var owner: ObjectIdentifier?
    private var host = ""
    /// Faults of form that were forgiven when the sessions were made.
    var faults: [String] = []

    public init() {}

    deinit { for session in sessions { SSL_SESSION_free(session) } }

    public var count: Int { sessions.count }

    /// Forgets everything, as after a change of trust.
    public func removeAll() {
        for session in sessions { SSL_SESSION_free(session) }
        sessions.removeAll()
    }

    /// A session to offer, which the caller frees.
    func take(for context: ClientContext, host: String) -> OpaquePointer? {
        if owner != ObjectIdentifier(context) || self.host != host {
            removeAll()
            faults = []
            owner = ObjectIdentifier(context)
            self.host = host
        }
        while let newest = sessions.last {
            let age = Int(time(nil)) - Int(SSL_SESSION_get_time(newest))
            if SSL_SESSION_is_resumable(newest) == 1, age < Int(SSL_SESSION_get_timeout(newest)) {
                if SSL_SESSION_get_protocol_version(newest) >= TLS1_3_VERSION {
                    sessions.removeLast()
                } else {
                    SSL_SESSION_up_ref(newest)
                }
                return newest
            }
            sessions.removeLast()
            SSL_SESSION_free(newest)
        }
        return nil
    }

    /// Keeps a session, whose reference it takes over.
    ///
    /// Returns false, and takes nothing, if it was made with another host or under another context.
    func put(_ session: OpaquePointer, of context: ObjectIdentifier, host: String) -> Bool {
        guard owner == context, self.host == host else { return false }
        if sessions.count == Self.limit { SSL_SESSION_free(sessions.removeFirst()) }
        sessions.append(session)
        return true
    }
}
