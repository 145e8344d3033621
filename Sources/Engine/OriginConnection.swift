import Bytes
import Reactor
import TLS
import Traffic

/// A connection to an origin, in use by one exchange or resting in its pool.
///
/// Confined to its worker.
final class OriginConnection {
    let channel: Channel
    let pool: OriginPool
    let address: SocketAddress
    /// How many exchanges it has carried before the present one.
    private(set) var useCount = 0
    /// It has rested long enough to have given its memory back.
    private(set) var isAsleep = false
    private var judged: String?
    /// What is written down of it, made with the first exchange.
    var facts: Exchange.OriginFacts?
    private(set) var expiry: Instant = .never
    /// How long each part of connecting took, in nanoseconds; told with the first exchange.
    let timings: ConnectTimings

    struct ConnectTimings {
        var resolve: UInt64 = 0
        var connect: UInt64 = 0
        var tls: UInt64 = 0
    }

    init(_ channel: Channel, _ pool: OriginPool, _ address: SocketAddress, _ timings: ConnectTimings) {
        self.channel = channel
        self.pool = pool
        self.address = address
        self.timings = timings
    }

    func rest(until expiry: Instant, janitor: Waiter) {
        useCount += 1
        self.expiry = expiry
        isAsleep = false
        channel.releaseBuffers()
        channel.socket.waiter = janitor
    }

    func sleep() {
        guard !isAsleep else { return }
        isAsleep = true
        channel.rest()
    }

    /// Whether it has stayed silent while resting.
    ///
    /// What a TLS origin may say then are session tickets, nothing else.
    func isUsable(sure: Bool) -> Bool {
        let readiness = channel.socket.readiness
        if readiness.pointee.isHungUp { return false }
        if sure && !readiness.pointee.isReadable && !channel.socket.isQuiet { readiness.pointee.isReadable = true }
        guard readiness.pointee.isReadable else { return true }
        do throws(ChannelFailure) {
            guard case .wouldBlock = try channel.fill() else { return false }
            return true
        } catch {
            return false
        }
    }

    /// How the origin's certificate was judged, in words; read from OpenSSL once per connection.
    func decision(_ session: Session) -> String {
        if let judged { return judged }
        let verification = session.verification
        let text = verification.isTrusted ? "verified" : "accepted unverified: \(verification.reason)"
        judged = text
        return text
    }

    func close() { channel.close() }
}
