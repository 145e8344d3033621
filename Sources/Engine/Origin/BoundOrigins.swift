import Bytes
import HTTP
import Profiles
import Reactor

/// Connections to origins that serve one client connection alone, and end with it.
///
/// NTLM and Negotiate authenticate a connection: its next request is taken for one of the same user (RFC 4559 6). Of the
/// handshakes of a client that sends several requests at once, one is under way at a time, since nothing but the
/// connection tells which of them a message continues. Confined to its worker.
final class BoundOrigins {
    private static let limit = 8
    private static let handshakeTime = 10 * Limits.second

    /// The last one is the most likely to be authenticated.
    private var resting: [OriginConnection] = []
    private var handshake: Handshake?
    private var waiting: [Waiter] = []
    private var lastHandshake = 0
    private var isClosed = false

    private struct Handshake {
        let number: Int
        /// The connection whose origin has sent a challenge; nil while an exchange uses it.
        var connection: OriginConnection?
        let until: Instant
    }

    /// Begins a handshake, after the one that is under way.
    /// - Returns: its number; nil if the client has gone meanwhile.
    func beginHandshake(_ client: Client) async -> Int? {
        while client.channel.isStream, let handshake, handshake.until > client.state.core.now {
            waiting.append(client.waiter)
            client.waiter.deadline = handshake.until
            await client.waiter.park()
            if client.state.isAborting || client.waiter.isCancelled || client.channel.isBroken { return nil }
        }
        handshake?.connection?.close()
        lastHandshake += 1
        handshake = Handshake(number: lastHandshake, until: client.state.core.now.after(Self.handshakeTime))
        return lastHandshake
    }

    func endHandshake(_ number: Int) {
        guard handshake?.number == number else { return }
        handshake?.connection?.close()
        handshake = nil
        for waiter in waiting { waiter.wake() }
        waiting.removeAll()
    }

    /// The connection whose origin waits for the next message of the handshake, with that one's number.
    func takeChallenged(for pool: OriginPool, _ state: WorkerState) -> (connection: OriginConnection, handshake: Int)? {
        guard let handshake, let connection = handshake.connection, connection.serves(pool, state) else { return nil }
        self.handshake?.connection = nil
        connection.lease()
        return (connection, handshake.number)
    }

    /// A connection that rests.
    func take(for pool: OriginPool, _ state: WorkerState) -> OriginConnection? {
        while let index = resting.lastIndex(where: { $0.isFor(pool) }) {
            let connection = resting.remove(at: index)
            if connection.serves(pool, state) {
                connection.lease()
                return connection
            }
            connection.close()
        }
        return nil
    }

    /// Takes a connection back after an exchange that left it clean.
    /// - Parameter challenged: the handshake whose next message its origin waits for; 0 for none.
    func give(_ connection: OriginConnection, challenged: Int, _ state: WorkerState) {
        guard !isClosed, !state.isDraining else { return connection.close() }
        connection.rest(from: state.core.now, until: .never, idleReaper: state.idleReaper.waiter)
        if challenged != 0, handshake?.number == challenged {
            handshake?.connection = connection
            return
        }
        if resting.count == Self.limit { resting.removeFirst().close() }
        resting.append(connection)
    }

    func close() {
        isClosed = true
        for connection in resting { connection.close() }
        resting.removeAll()
        if let handshake { endHandshake(handshake.number) }
    }
}

extension OriginConnection {
    /// Connects to the address that a pool would use, under the same trust; forwarded requests have a pool each.
    fileprivate func isFor(_ other: OriginPool) -> Bool {
        if pool === other { return true }
        let (mine, theirs) = (pool.plan, other.plan)
        return mine.address == theirs.address && mine.context === theirs.context
            && mine.reach.isPublicOnly == theirs.reach.isPublicOnly
    }

    fileprivate func serves(_ other: OriginPool, _ state: WorkerState) -> Bool {
        isFor(other) && isUsable(sure: true) && (pool.plan.address.trustExpiry ?? .max) > state.clock()
    }
}

/// How an exchange uses connections that its origin may authenticate.
struct OriginBinding {
    enum Message {
        /// Begins a handshake.
        case first
        /// Follows a challenge.
        case next
    }

    /// What the request's Authorization field is; nil without one of these schemes.
    var message: Message?
    /// The present connection is for the exchange's client alone.
    var isBound = false
    /// The number of the handshake that its request is a message of; 0 for none.
    var handshake = 0
    /// The response is a challenge.
    var isChallenged = false
}

extension OriginBinding {
    /// Looks at the request's fields for credentials that authenticate connections.
    @inline(never)
    mutating func read(_ sent: OwnedHead, _ pool: OriginPool) {
        guard sent.head.names.contains(.authorization), !pool.plan.isHTTP2Known else { return }
        for field in sent.head.fields where field.id == .authorization {
            // Most credentials are others, which are told by their first byte.
            guard let first = field.value.first, sent.bytes[first] | 0x20 == UInt8(ascii: "n") else { continue }
            let words = ConnectionScheme.words(sent.bytes.extracting(field.value))
            guard ConnectionScheme.isNamed(words[...]) else { continue }
            let token = words.count > 1 ? words[1] : ""
            // An initial token of SPNEGO or Kerberos (RFC 2743 3.1), or the first message of NTLM (MS-NLMP 2.2.1.1).
            message =
                token.isEmpty || token.hasPrefix("Y") || token.hasPrefix("TlRMTVNTUAAB") ? .first : .next
        }
    }

    /// Notes what the response's head says about the connection.
    @inline(never)
    mutating func note(_ response: ResponseHead, _ bytes: Span<UInt8>, of client: Client) {
        var isOffered = false
        var isChallenge = false
        if response.status == 401 || response.status == 407 {
            for field in response.fields where field.id == .wwwAuthenticate || field.id == .proxyAuthenticate {
                for element in ConnectionScheme.elements(bytes.extracting(field.value)) {
                    guard ConnectionScheme.isNamed(element[...]) else { continue }
                    isOffered = true
                    if element.count > 1 { isChallenge = true }
                }
            }
        }
        if isOffered { isBound = true }
        isChallenged = isChallenge
        if !isChallenge { endHandshake(client) }
    }

    /// Keeps the connection of an exchange that is over.
    mutating func keep(_ origin: OriginConnection, of client: Client) {
        client.connected.boundOrigins.give(origin, challenged: isChallenged ? handshake : 0, client.state)
        handshake = 0
    }

    /// Ends the handshake that its request is a message of, if any.
    mutating func endHandshake(_ client: Client) {
        guard handshake != 0 else { return }
        client.connected.bound?.endHandshake(handshake)
        handshake = 0
    }
}

extension OriginResponder {
    /// A connection of the client's own, if there is one and the request needs one.
    func takeBound(from pool: OriginPool, _ exchange: ClientExchange) async throws(EngineFailure) -> OriginConnection? {
        let (client, state) = (exchange.client, exchange.state)
        let bound = client.connected.bound
        var found: OriginConnection?
        switch exchange.binding.message {
        case .first:
            let bound = client.connected.boundOrigins
            guard let number = await bound.beginHandshake(client) else {
                throw state.isAborting ? .aborted : .clientLeft("the connection was reset")
            }
            exchange.binding.handshake = number
            found = bound.take(for: pool, state)
        case .next:
            let challenged = bound?.takeChallenged(for: pool, state)
            exchange.binding.handshake = challenged?.handshake ?? 0
            found = challenged?.connection ?? bound?.take(for: pool, state)
        case nil:
            found = bound?.take(for: pool, state)
        }
        exchange.binding.isBound = found != nil || exchange.binding.message != nil
        return found
    }
}

/// The schemes that authenticate a connection and not a request.
private enum ConnectionScheme {
    private static let names = ["ntlm", "negotiate"]

    static func isNamed(_ words: ArraySlice<String>) -> Bool {
        words.first.map { names.contains($0.lowercased()) } ?? false
    }

    static func words(_ value: Span<UInt8>) -> [String] {
        String(value).split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// Of a list of challenges (RFC 9110 11.6.1).
    static func elements(_ value: Span<UInt8>) -> [[String]] {
        String(value).split(separator: ",").map { $0.split { $0 == " " || $0 == "\t" }.map(String.init) }
    }
}
