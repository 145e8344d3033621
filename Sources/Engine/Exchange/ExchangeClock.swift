import Exchanges
import Reactor

/// When an exchange began, and when what is measured of it has passed.
struct ExchangeClock {
    private(set) var start: Instant = 0
    /// When the connection to the origin was ready.
    private(set) var sendStart: Instant = 0
    private(set) var sendEnd: Instant = 0
    private(set) var firstByte: Instant = 0

    init() {}

    init(start: Instant) { self.start = start }

    /// A connection to an origin is ready.
    mutating func didConnect(now: Instant) { (sendStart, sendEnd, firstByte) = (now, 0, 0) }

    mutating func didSendRequest(now: Instant) { if sendEnd == 0 { sendEnd = now } }

    mutating func didReceiveFirstByte(now: Instant) { firstByte = now }

    /// When the present origin began to owe a response.
    var waitStart: Instant { max(sendEnd, sendStart) }

    /// The time since the start, in microseconds.
    func elapsed(_ now: Instant) -> UInt64 { (max(now, start) - start) / 1000 }

    /// Sets what is known of the origin, and the whole.
    func measure(_ timings: inout Exchange.Timings, now: Instant) {
        timings.total = elapsed(now)
        if sendStart > 0, sendEnd > 0 { timings.send = (max(sendEnd, sendStart) - sendStart) / 1000 }
        if firstByte > 0 {
            timings.wait = (firstByte - max(min(sendEnd, firstByte), start)) / 1000
            timings.receive = (max(now, firstByte) - firstByte) / 1000
        }
    }
}
