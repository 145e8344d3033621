import Bytes
import Exchanges
import HTTP2
package import Reactor
import TLS

/// A connection to an origin, in use by one exchange or resting in its pool.
///
/// Confined to its worker.
package final class OriginConnection {
    private(set) var channel: Channel
    /// The connection that it is a stream of; nil where it is a connection of its own.
    private let stream: SharedOrigin?
    /// The connection that it is a stream of.
    var shared: HTTP2Connection? { stream?.connection }
    package let pool: OriginPool
    let address: SocketAddress
    private let uses: Cell<Int>
    /// How many exchanges it has carried before the present one.
    package private(set) var useCount: Int {
        get { uses.value }
        set { uses.value = newValue }
    }
    private(set) var use = OriginConnectionState.leased
    private var judgement: OriginJudgement?
    /// When it was last given to its pool.
    private(set) var restsSince: Instant = 0
    /// What has to be told besides about its certificate.
    var trustNote: String?
    /// Its facts for log and store, made with the first exchange of a route.
    var facts: Exchange.OriginFacts?
    /// The route whose trust rule is among the facts.
    var factsRoute: RoutePlan?
    /// Facts that its exchanges have in common, for the store.
    var context: KnownContext?
    /// How long each part of connecting took, in nanoseconds; reported with the first exchange.
    let timings: ConnectTimings

    package struct ConnectTimings {
        var resolve: UInt64 = 0
        var connect: UInt64 = 0
        var tls: UInt64 = 0
        /// When it was connected.
        package var connectedAt = Instant.never

        package init() {}
    }

    package init(_ channel: Channel, _ pool: OriginPool, _ address: SocketAddress, _ timings: ConnectTimings) {
        self.channel = channel
        uses = Cell(0)
        stream = nil
        self.pool = pool
        self.address = address
        self.timings = timings
    }

    /// A new stream of a connection.
    init(_ shared: SharedOrigin, _ pool: OriginPool) {
        uses = Cell(shared.connection.streamCount)
        channel = shared.connection.open()
        stream = shared
        self.pool = pool
        address = shared.address
        timings = shared.timings
    }

    /// Reuses the object for a new stream; returns false if the last stream may still be referenced.
    func reopen() -> Bool {
        guard let stream, isKnownUniquelyReferenced(&channel), let old = channel as? StreamChannel, old.isOver else {
            return false
        }
        use.lease()
        useCount = stream.connection.streamCount
        _ = stream.connection.open(on: old)
        return true
    }

    /// An exchange takes it out of its pool.
    func lease() { use.lease() }

    /// Its exchange gives it to the pool, which closes it at `expiry`.
    func rest(from now: Instant, until expiry: Instant, idleReaper: Waiter) {
        restsSince = now
        useCount += 1
        use.rest(until: expiry)
        channel.releaseBuffers()
        channel.notify(idleReaper)
    }

    /// It is too old for another request.
    func isOld(_ state: WorkerState) -> Bool { state.core.now >= timings.connectedAt.after(state.limits.poolAge) }

    /// It has given memory back.
    package var isAsleep: Bool { use.isAsleep }

    /// Gives memory back that it does not need while it rests.
    func sleep() { if use.sleep() { channel.rest() } }

    /// Whether no bytes have arrived behind the last response: another request would take them for its own.
    ///
    /// A TLS origin may send complete records without application data meanwhile: session tickets and key updates.
    /// - Parameter sure: ask the system even if the loop has reported nothing.
    package func isUsable(sure: Bool) -> Bool { channel.isQuiet(sure: sure) }

    /// How the origin's certificate was judged; read from OpenSSL once per connection.
    func judgement(_ session: Session) -> OriginJudgement {
        if let known = judgement ?? stream?.judgement { return known }
        let judgement = OriginJudgement(session.verification, note: trustNote ?? stream?.trustNote)
        self.judgement = judgement
        stream?.judgement = judgement
        return judgement
    }

    func close() {
        use.close()
        channel.close()
        stream?.keep(self)
    }
}

/// A connection to an origin that many exchanges share, each by a stream of its own (RFC 9113 5).
final class SharedOrigin {
    let connection: HTTP2Connection
    let address: SocketAddress
    let timings: OriginConnection.ConnectTimings
    /// What has to be told besides about its certificate.
    let trustNote: String?
    /// How the origin's certificate was judged.
    fileprivate var judgement: OriginJudgement?
    /// Streams that are over.
    private let spare = FreeList<OriginConnection>(limit: 512)

    init(_ connection: HTTP2Connection, _ opened: OriginConnection) {
        self.connection = connection
        address = opened.address
        timings = opened.timings
        trustNote = opened.trustNote
    }

    /// Opens a stream for an exchange.
    func open(_ pool: OriginPool) -> OriginConnection {
        if let old = spare.take(), old.reopen() { return old }
        return OriginConnection(self, pool)
    }

    fileprivate func keep(_ stream: OriginConnection) {
        // They retain the pool, which must be released once it is not used any more.
        if stream.pool.isKept, connection.ending == nil { spare.keep(stream) }
    }

    /// Releases the kept streams.
    func rest() { spare.removeAll() }

    /// Opens no more streams, and ends after those that are open.
    func endSoon() {
        rest()
        connection.session.announceEnd()
        connection.wake()
    }
}
