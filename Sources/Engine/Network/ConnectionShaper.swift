import Bytes
import Profiles
import Reactor

/// Carries the bytes between a client's connection and the pair that Shunt reads and writes in its stead, each when its
/// time has come.
///
/// The bytes are those of the wire: TLS records and HTTP/2 frames, so that all streams of a connection share the link.
/// A task of the worker's loop, and no thread. Confined to its worker.
final class ConnectionShaper: LoopTask {
    /// Nanoseconds that a client may take to close its side.
    private static let patience = 2 * Limits.second
    /// Nanoseconds that a client may take no bytes of a response that Shunt has finished.
    private static let standstill = 300 * Limits.second
    /// Steps in a row before other connections get their turn.
    private static let maxSteps = 4

    private let connection: Socket
    private let pair: Socket
    private let core: LoopCore
    private let waiter: Waiter
    private(set) var link: Link?
    private var up: ShapedLane
    private var down: ShapedLane
    /// The connection ends with a reset once all before it has arrived.
    private var endsWithReset = false
    /// When the client must have closed its side.
    private var lingersUntil: Instant?
    /// How many bytes the client had yet to get, and since when.
    private var left = (count: 0, since: Instant(0))
    private(set) var isOver = false
    /// Woken when it is over.
    var owner: Waiter?

    /// - Parameter isNew: the connection was just accepted, so that its set-up counts.
    init(_ socket: Socket, _ link: Link, _ core: LoopCore, isNew: Bool) throws(SystemError) {
        (connection, pair) = try socket.interpose(room: Self.room(link.conditions))
        self.core = core
        self.link = link
        waiter = Waiter(core)
        let conditions = link.conditions
        let opens = isNew ? core.clock().after(conditions.setupTime + conditions.latency / 2) : 0
        up = ShapedLane(.up, opens: opens)
        down = ShapedLane(.down, opens: 0)
        connection.notify(waiter)
        pair.notify(waiter)
        socket.didReset = { [unowned self] in reset() }
    }

    /// A quarter of a second, so that streams do not queue for long behind what was sent already.
    private static func room(_ conditions: NetworkConditions) -> Int {
        guard let down = conditions.down else { return 256 << 10 }
        return min(max(Int(clamping: down / 32), 16 << 10), 256 << 10)
    }

    var conditions: NetworkConditions? { link?.conditions }

    /// Goes on under other conditions; nil for none.
    func use(_ link: Link?) {
        self.link = link
        let latest = core.clock().after(link?.conditions.latency ?? 0)
        up.hurry(to: latest)
        down.hurry(to: latest)
        if link?.conditions.cut == .reset { cancel() }
        waiter.wake()
    }

    private func reset() {
        endsWithReset = true
        waiter.wake()
    }

    /// Resets the connection at once.
    func cancel() {
        guard !isOver else { return }
        connection.resetOnClose()
        end()
        waiter.cancel()
    }

    private func end() {
        isOver = true
        connection.close()
        pair.close()
        owner?.wake()
    }

    func run() async {
        waiter.note("a simulated network")
        var steps = 0
        while !isOver {
            let now = core.clock()
            do throws(SystemError) {
                waiter.deadline = try step(now)
            } catch {
                cancel()
            }
            if isOver { break }
            if waiter.deadline > core.clock() {
                await waiter.park()
                steps = 0
            } else {
                steps += 1
                if steps % Self.maxSteps == 0 { await waiter.yield() }
            }
        }
        waiter.retire()
    }

    /// Moves what can be moved; returns when there is more to do.
    private func step(_ now: Instant) throws(SystemError) -> Instant {
        var next = Instant.never
        // What arrives makes room for more.
        handOn(now, &next)
        _ = try down.give(to: connection, link, now: now)
        next = .never
        try up.take(from: connection, link, now: now)
        do throws(SystemError) {
            try down.take(from: pair, link, now: now)
        } catch {
            // Shunt has closed its side with bytes of the client unread.
            down.endNow()
        }
        handOn(now, &next)
        if let time = try down.give(to: connection, link, now: now) { next = min(next, time) }
        if let time = up.takesMore(from: connection, link, now: now) { next = min(next, time) }
        if let time = down.takesMore(from: pair, link, now: now) { next = min(next, time) }
        if link?.conditions.cut == .hang, connection.readiness.pointee.isHungUp { cancel() }
        finish(now, &next)
        return next
    }

    /// Hands on what has come from the client.
    private func handOn(_ now: Instant, _ next: inout Instant) {
        do throws(SystemError) {
            if let time = try up.give(to: pair, link, now: now) { next = min(next, time) }
        } catch {
            up.drop()
        }
    }

    private func finish(_ now: Instant, _ next: inout Instant) {
        if up.isFinished && !up.wasPassedOn {
            up.wasPassedOn = true
            pair.shutdownWrite()
        }
        if down.count != left.count { left = (down.count, now) }
        guard down.isFinished else {
            guard pair.readiness.pointee.isBroken else { return }
            let end = left.since.after(Self.standstill)
            if end <= now { return cancel() }
            next = min(next, end)
            return
        }
        if endsWithReset { return cancel() }
        if !down.wasPassedOn {
            down.wasPassedOn = true
            connection.shutdownWrite()
        }
        // Shunt still reads: it has ended its side alone.
        guard pair.readiness.pointee.isBroken else { return }
        if up.hasEnded { return end() }
        up.drop()
        let end = lingersUntil ?? now.after(Self.patience)
        lingersUntil = end
        if end <= now { return self.end() }
        next = min(next, end)
    }
}
