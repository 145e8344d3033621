import Bytes
import Reactor

/// One direction of a shaped connection: bytes that wait for their time, first in first out.
struct ShapedLane {
    /// Reads in a row before others get their turn.
    private static let maxReads = 8

    private struct Piece {
        var arrives: Instant
        let bytes: [UInt8]
    }

    let direction: LinkModel.Direction
    private var pieces: [Piece] = []
    private var head = 0
    /// Bytes of the first piece that were written.
    private var offset = 0
    /// Bytes that wait.
    private(set) var count = 0
    /// When the link has sent what it took of this connection.
    private var leaves: Instant = 0
    /// No byte arrives before those that were sent earlier.
    private var lastArrival: Instant
    private(set) var hasEnded = false
    /// All has arrived, the end as well.
    private(set) var isFinished = false
    /// The receiver was told the end.
    var wasPassedOn = false
    /// What comes is dropped: the receiver is gone.
    private(set) var isDropping = false

    /// - Parameter opens: when the first byte can arrive.
    init(_ direction: LinkModel.Direction, opens: Instant) {
        self.direction = direction
        lastArrival = opens
    }

    /// Reads from `source` what the link takes now.
    mutating func take(from source: Socket, _ link: Link?, now: Instant) throws(SystemError) {
        for _ in 0..<Self.maxReads where !hasEnded {
            if !isDropping, wait(link, now: now) != nil { return }
            let size = link?.with { $0.piece(direction) } ?? 64 << 10
            let (outcome, bytes) = try Self.read(size, from: source)
            switch outcome {
            case .bytes: if !isDropping { append(bytes, link, now: now) }
            case .wouldBlock: return
            case .end:
                hasEnded = true
                lastArrival = max(lastArrival, now.after(link?.with { $0.oneWay() } ?? 0))
            }
        }
    }

    /// When ``take(from:_:now:)`` can go on; nil when a byte has to come first.
    ///
    /// To be asked after ``give(to:_:now:)``, which may have made room.
    func takesMore(from source: Socket, _ link: Link?, now: Instant) -> Instant? {
        guard !hasEnded, source.readiness.pointee.isReadable else { return nil }
        return isDropping ? now : wait(link, now: now) ?? now
    }

    /// Reads into memory that is no larger than what has come, since much of it may wait for long.
    private static func read(_ size: Int, from source: Socket) throws(SystemError) -> (ReadOutcome, [UInt8]) {
        var failure: SystemError?
        let result = withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { room -> (ReadOutcome, [UInt8]) in
            do throws(SystemError) {
                let outcome = try source.read(into: room)
                guard case .bytes(let count) = outcome else { return (outcome, []) }
                return (outcome, Array(room[..<count]))
            } catch {
                failure = error
                return (.wouldBlock, [])
            }
        }
        if let failure { throw failure }
        return result
    }

    /// When more can be taken; nil for now.
    private func wait(_ link: Link?, now: Instant) -> Instant? {
        // The receiver has to read first, which wakes the task.
        if count >= (link?.with { $0.window(direction) } ?? 256 << 10) { return .never }
        return leaves > now.after(LinkModel.horizon) ? leaves - LinkModel.horizon : nil
    }

    private mutating func append(_ bytes: [UInt8], _ link: Link?, now: Instant) {
        if let passage = link?.with({ $0.pass(bytes.count, direction, now: now) }) {
            leaves = passage.leaves
            lastArrival = max(lastArrival, passage.arrives)
        } else {
            lastArrival = max(lastArrival, now)
        }
        pieces.append(Piece(arrives: lastArrival, bytes: bytes))
        count += bytes.count
    }

    /// Writes to `sink` what has arrived; returns when more does, and nil where the sink has to take bytes first.
    mutating func give(to sink: Socket, _ link: Link?, now: Instant) throws(SystemError) -> Instant? {
        if let opens = link?.with({ $0.opens(now: now) }), opens > now { return count > 0 || hasEnded ? opens : nil }
        while head < pieces.count {
            let arrives = pieces[head].arrives
            guard arrives <= now else { return arrives }
            var failure: SystemError?
            let sent = pieces[head].bytes.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    return try sink.write(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            offset += sent
            count -= sent
            guard offset == pieces[head].bytes.count else { return nil }
            offset = 0
            head += 1
            if head == pieces.count || head == 64 {
                pieces.removeFirst(head)
                head = 0
            }
        }
        guard hasEnded, !isFinished else { return nil }
        guard lastArrival <= now else { return lastArrival }
        isFinished = true
        return nil
    }

    /// Nothing more comes behind what waits.
    mutating func endNow() { hasEnded = true }

    /// Drops all that waits and all that comes.
    mutating func drop() {
        pieces.removeAll()
        (head, offset, count) = (0, 0, 0)
        isDropping = true
    }

    /// What waits arrives no later than under the new conditions.
    mutating func hurry(to latest: Instant) {
        lastArrival = min(lastArrival, latest)
        leaves = min(leaves, latest)
        for at in pieces.indices { pieces[at].arrives = min(pieces[at].arrives, latest) }
    }
}
