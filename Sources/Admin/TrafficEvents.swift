import Engine
import Inspection
import JSON
import Store

/// Exchanges as server-sent events for one listener; confined to its thread.
///
/// For a slow listener only unsent bytes are kept: it gets the newest of the other exchanges from the store.
struct TrafficEvents {
    /// Exchanges that a listener may be behind.
    private static let maxBehind: Int64 = 1000
    /// Milliseconds between two reads of the store.
    private static let interval = 100
    /// Milliseconds of silence before a comment, which keeps the connection alive.
    private static let patience = Duration.seconds(15)

    /// Bytes of events that are sent together at most: each sending wakes the connection's thread.
    private static let together = 32 << 10

    private let follower: TrafficFollower
    /// What changes with the exchanges that breakpoints hold.
    private let held: @Sendable () -> Int
    private var lastHeld: Int
    private let form: TrafficEventForm
    private let stream: HandledStream
    private let clock = ContinuousClock()
    private var spoke: ContinuousClock.Instant
    private var writer = JSONWriter(capacity: 1 << 10)
    private var waiting: [UInt8] = []
    /// The newest exchange of the rows that wait, if it is new.
    private var newest: Int64?
    private var rows = 0

    init(
        _ follower: TrafficFollower, _ form: TrafficEventForm, _ stream: HandledStream,
        held: @escaping @Sendable () -> Int
    ) {
        (self.follower, self.form, self.stream, self.held) = (follower, form, stream, held)
        lastHeld = held()
        spoke = clock.now
    }

    /// Runs until the listener leaves.
    mutating func run() throws(StoreFailure) {
        // Milliseconds before a browser reconnects.
        send("retry: 1000\n\n")
        repeat {
            let skipped = try follower.skip(keeping: Self.maxBehind)
            if skipped > 0 { send("event: skipped\ndata: {\"exchanges\":\(skipped)}\n\n") }
            try follower.look { (summary, isNew) in
                switch form {
                case .exchange: add(summary, isNew: isNew)
                case .row: addRow(summary, isNew: isNew)
                }
            }
            endRows()
            flush()
            let now = held()
            if now != lastHeld { send("event: held\ndata: {\"revision\":\(now)}\n\n") }
            lastHeld = now
            if clock.now - spoke >= Self.patience { send(": still here\n\n") }
        } while stream.pause(milliseconds: Self.interval)
    }

    /// Returns false when the listener has left.
    private mutating func add(_ summary: TrafficSummary, isNew: Bool) -> Bool {
        // An exchange that was sent before does not change the listener's position.
        if isNew { waiting += "id: \(summary.id)\n".utf8 }
        waiting += "event: exchange\ndata: ".utf8
        writer.removeAll()
        writer.object { summary.write(to: &$0) }
        waiting += writer.bytes
        waiting += "\n\n".utf8
        return waiting.count < Self.together || flush()
    }

    /// The same with a row.
    private mutating func addRow(_ summary: TrafficSummary, isNew: Bool) -> Bool {
        if rows == 0 {
            writer.removeAll()
            writer.beginArray()
        }
        writer.array { summary.writeRow(to: &$0) }
        rows += 1
        if isNew { newest = summary.id }
        guard writer.bytes.count >= Self.together else { return true }
        endRows()
        return flush()
    }

    private mutating func endRows() {
        guard rows > 0 else { return }
        writer.endArray()
        if let newest { waiting += "id: \(newest)\n".utf8 }
        waiting += "event: rows\ndata: ".utf8
        waiting += writer.bytes
        waiting += "\n\n".utf8
        (rows, newest) = (0, nil)
    }

    private mutating func send(_ text: String) {
        waiting += text.utf8
        flush()
    }

    /// Returns false when the listener has left.
    @discardableResult
    private mutating func flush() -> Bool {
        guard !waiting.isEmpty else { return true }
        spoke = clock.now
        defer { waiting.removeAll(keepingCapacity: true) }
        return stream.send(waiting)
    }
}
