import Bytes
import HTTP2
public import Profiles
public import Reactor
import Redaction
import Synchronization

/// A path for which the machine of a user responds in place of origins: to devices of that user, and to requests that
/// name it.
///
/// The machine opens the connections, one for each worker; Shunt opens none to it.
public final class Attachment: Sendable {
    /// What the field Upgrade has in the request for a connection.
    public static let protocolName = "shunt-attach"
    /// After so much silence on one of its connections PING is sent, in nanoseconds.
    public static let silenceTime = 15 * Limits.second

    /// A number of its own among all since the start.
    public let id: Int
    public let user: String
    /// The public part of the token that it was made with.
    public let token: String
    let pattern: PathPattern
    /// To where the machine sends the requests on.
    public let origin: OriginAddress
    /// What requests have in the field `Shunt-Attach` that are for it.
    public let key: String
    private let secrets = OwnSecrets()
    /// The address of the machine.
    public let client: SocketAddress?
    /// Seconds since 1970.
    public let since: Int64

    private struct State {
        /// Connections that were asked for.
        var asked = 0
        var open = 0
        /// A connection has said that it ends.
        var isLeaving = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let whenOver: @Sendable (Attachment, String) -> Void

    init(
        _ id: Int, _ wish: Attachments.Wish, key: String, since: Int64,
        whenOver: @escaping @Sendable (Attachment, String) -> Void
    ) {
        self.id = id
        (user, token, client) = (wish.user, wish.token, wish.client)
        (pattern, origin) = (wish.path.pattern, wish.origin)
        (self.key, self.since, self.whenOver) = (key, since, whenOver)
        secrets.add(key)
    }

    public var path: String { pattern.description }

    /// Requests can be sent to it.
    public var isUp: Bool { state.withLock { $0.open > 0 && !$0.isLeaving && !$0.isOver } }

    /// How it is called in messages.
    var name: String { "\(user)'s \(origin)" }

    /// The worker of its next connection; nil where each has one.
    func place(among workers: Int) -> Int? {
        state.withLock { state in
            guard !state.isOver, state.asked < workers else { return nil }
            defer { state.asked += 1 }
            return state.asked
        }
    }

    /// A connection begins; false where it is over already.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.open += 1
            return true
        }
    }

    /// One of its connections has changed.
    ///
    /// Where one breaks, all end, so that workers do not differ for long. After a GOAWAY each goes on to the end of
    /// its streams.
    func didChange(_ connection: HTTP2Connection) {
        guard let ending = connection.ending else {
            if connection.session.isGoingAway { state.withLock { $0.isLeaving = true } }
            return
        }
        let reason: String? = state.withLock { state in
            state.open -= 1
            guard state.isLeaving else { return ending }
            return state.open <= 0 ? "ended in good order" : nil
        }
        if let reason { end(reason) }
    }

    /// Ends it where it is.
    public func end(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { whenOver(self, reason) }
    }

    /// Whether a field names it; takes as long for each value of the same length.
    func isNamed(by value: [UInt8]) -> Bool {
        Array(key.utf8).isSameSecret(as: value)
    }
}
