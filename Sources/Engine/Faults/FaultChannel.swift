import Bytes
import HTTP
import HTTP2
import Reactor
import TLS

/// Stands before a client's channel for one exchange, and lets its response through with a fault: slowly, in pieces,
/// changed, or not to its end.
final class FaultChannel: FrontChannel {
    /// What happens to the body.
    struct Plan {
        /// Bits per second; nil without a limit.
        var rate: UInt64?
        /// Bytes of a piece, and nanoseconds from one to the next.
        var slices: (size: Int, time: UInt64)?
        /// Bytes after which the response is cut; nil for all.
        var limit: Int?
        /// The cut body seems to be whole.
        var endsEarly = false
        var corrupts = false
        /// Nanoseconds by which the last byte comes late.
        var endDelay: UInt64?
    }

    /// One byte of so many is changed.
    private static let corrupted = 64
    /// A piece takes so many nanoseconds.
    private static let turn: UInt64 = 10_000_000

    private let plan: Plan
    private let core: LoopCore
    private let alarm: Alarm
    private var hasHead = false
    /// Body bytes that have passed.
    private var sent = 0
    /// When the next piece may pass.
    private var opens: Instant = 0
    /// When the last byte may pass.
    private var endOpens: Instant?
    /// The output's bytes in front that have been through the changes.
    private var changed = 0
    private var decoder: BodyDecoder?
    private var trailers: [UInt8]?
    /// The response was cut.
    private(set) var hasStruck = false

    init(_ inner: Channel, _ plan: Plan, _ waiter: Waiter, _ state: WorkerState) {
        self.plan = plan
        core = state.core
        alarm = Alarm(waiter, state.loop)
        super.init(inner)
    }

    /// Leaves the channel to the next exchange.
    override func remove() {
        super.remove()
        alarm.end()
    }

    override var readSizeHint: Int { min(inner.readSizeHint, 16 << 10) }

    override var isFlushed: Bool { hasStruck || output.isEmpty && trailers == nil && inner.isFlushed }
    override var unsentCount: Int { output.count + inner.unsentCount }

    override func didWriteHead(hasBody: Bool) {
        if !inner.isStream, plan.corrupts, isChunked { decoder = BodyDecoder(.chunked, isResponse: true) }
        moveHead()
        inner.didWriteHead(hasBody: hasBody)
        hasHead = true
    }

    private var isChunked: Bool {
        let head = String(decoding: output.unsafeBytes, as: UTF8.self).lowercased()
        return head.contains("\r\ntransfer-encoding: chunked\r\n")
    }

    override func finishWriting(_ trailers: [UInt8] = []) { if !hasStruck { self.trailers = trailers } }

    override func send(_ bytes: UnsafeRawBufferPointer) throws(ChannelFailure) -> Int {
        guard try flush() else { return 0 }
        reserveOutput()
        let taken = output.append(bytes)
        _ = try flush()
        return taken
    }

    override func flush() throws(ChannelFailure) -> Bool {
        if hasStruck {
            output.removeAll()
            trailers = nil
            return true
        }
        // Heads pass as they are.
        guard hasHead else { return try flushInner() }
        if plan.corrupts { corrupt() } else { changed = output.count }
        while changed > 0 || plan.limit == sent {
            guard try flushInner() else { return false }
            if let limit = plan.limit, sent >= limit { return try strike() }
            let count = allowance()
            guard count > 0 else { return false }
            let used = try inner.send(UnsafeRawBufferPointer(rebasing: output.unsafeBytes[..<count]))
            guard used > 0 else { return false }
            output.consume(used)
            changed -= used
            sent += used
            delay(for: used)
        }
        output.compact()
        guard try flushInner() else { return false }
        if let trailers, output.isEmpty {
            self.trailers = nil
            inner.finishWriting(trailers)
            return try inner.flush()
        }
        return output.isEmpty
    }

    /// Cuts the response here: an end that seems to be the right one, or a failure of the exchange.
    private func strike() throws(ChannelFailure) -> Bool {
        hasStruck = true
        if plan.endsEarly, inner.isStream {
            inner.finishWriting()
            _ = try inner.flush()
        }
        throw .stream(.cancel, "the route's fault cut the response after \(sent) bytes")
    }

    /// Body bytes that may pass now; sets the alarm where there are none.
    private func allowance() -> Int {
        let now = core.clock()
        if opens > now {
            alarm.set(to: opens)
            return 0
        }
        var count = changed
        if let limit = plan.limit { count = min(count, limit - sent) }
        if let slices = plan.slices { count = min(count, slices.size) }
        if let rate = plan.rate {
            count = min(count, max(1, Int(clamping: rate / 8 * Self.turn / 1_000_000_000)))
        }
        if let delay = plan.endDelay {
            // The last byte is not known before its time: one is always held back.
            let end = endOpens ?? now.after(delay)
            if endOpens == nil || count > 1 { endOpens = now.after(delay) }
            if count > 1 { return count - 1 }
            if end > now {
                alarm.set(to: end)
                return 0
            }
        }
        return count
    }

    private func delay(for count: Int) {
        let now = core.clock()
        if let slices = plan.slices { opens = now.after(slices.time) }
        // What a late timer has cost is made up for.
        if let rate = plan.rate {
            let start = opens.after(Self.turn) > now ? max(opens, 1) : now
            opens = start.after(UInt64(count) * 8_000_000_000 / rate)
        }
    }

    /// Changes bytes of the body, and none of its framing.
    private func corrupt() {
        while changed < output.count {
            var length = output.count - changed
            if decoder != nil {
                let elements = UnsafeRawBufferPointer(rebasing: output.unsafeBytes[changed...])
                    .assumingMemoryBound(to: UInt8.self)
                let rest = Span(_unsafeElements: elements)
                guard let piece = try? decoder?.next(rest) else {
                    decoder = nil
                    continue
                }
                switch piece {
                case .data(let count):
                    length = count
                    decoder?.advance(count)
                case .framing(let count), .trailers(let count):
                    changed += count
                    continue
                case .end: return changed = output.count
                case .needMore: return
                }
            }
            for at in changed..<changed + length where (sent + at) % Self.corrupted == 0 {
                output.change(at) { $0 ^ 0x04 }
            }
            changed += length
        }
    }
}
