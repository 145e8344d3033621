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

    private let follower: TrafficFollower
    private let stream: HandledStream
    private let clock = ContinuousClock()
    private var spoke: ContinuousClock.Instant

    init(_ follower: TrafficFollower, _ stream: HandledStream) {
        (self.follower, self.stream) = (follower, stream)
        spoke = clock.now
    }

    /// Runs until the listener leaves.
    mutating func run() throws(StoreFailure) {
        // Milliseconds before a browser reconnects.
        send("retry: 1000\n\n")
        repeat {
            let skipped = try follower.skip(keeping: Self.maxBehind)
            if skipped > 0 { send("event: skipped\ndata: {\"exchanges\":\(skipped)}\n\n") }
            try follower.look { (summary, isNew) in send(summary, isNew: isNew) }
            if clock.now - spoke >= Self.patience { send(": still here\n\n") }
        } while stream.pause(milliseconds: Self.interval)
    }

    /// Returns false when the listener has left.
    private mutating func send(_ summary: TrafficSummary, isNew: Bool) -> Bool {
        var writer = JSONWriter()
        writer.object { summary.write(to: &$0) }
        // An exchange that was sent before does not change the listener's position.
        return send((isNew ? "id: \(summary.id)\n" : "") + "event: exchange\ndata: \(writer.text)\n\n")
    }

    @discardableResult
    private mutating func send(_ text: String) -> Bool {
        spoke = clock.now
        return stream.send(Array(text.utf8))
    }
}
