import Engine
import Inspection
import JSON
import Store

/// What passes, as server-sent events for one who listens; confined to that one's thread.
///
/// Nothing is kept for slow listeners but what they have not taken yet: the store has the rest, and of that they get the
/// newest.
struct TrafficEvents {
    /// Exchanges that somebody may be behind.
    private static let maxBehind: Int64 = 1000
    /// Milliseconds between two looks at the store.
    private static let interval = 100
    /// Of silence; then a comment tells both ends that the other one is there.
    private static let patience = Duration.seconds(15)

    private let follower: TrafficFollower
    private let stream: HandledStream
    private let clock = ContinuousClock()
    private var spoke: ContinuousClock.Instant

    init(_ follower: TrafficFollower, _ stream: HandledStream) {
        (self.follower, self.stream) = (follower, stream)
        spoke = clock.now
    }

    /// Goes on until nobody listens any more.
    mutating func run() throws(StoreFailure) {
        // Milliseconds until a browser that was cut off comes again.
        send("retry: 1000\n\n")
        repeat {
            let skipped = try follower.skip(keeping: Self.maxBehind)
            if skipped > 0 { send("event: skipped\ndata: {\"exchanges\":\(skipped)}\n\n") }
            try follower.look { (summary, isNew) in send(summary, isNew: isNew) }
            if clock.now - spoke >= Self.patience { send(": still here\n\n") }
        } while stream.pause(milliseconds: Self.interval)
    }

    /// False when nobody listens any more.
    private mutating func send(_ summary: TrafficSummary, isNew: Bool) -> Bool {
        var writer = JSONWriter()
        writer.object { summary.write(to: &$0) }
        // One that was told of before does not move the place where a listener goes on.
        return send((isNew ? "id: \(summary.id)\n" : "") + "event: exchange\ndata: \(writer.text)\n\n")
    }

    @discardableResult
    private mutating func send(_ text: String) -> Bool {
        spoke = clock.now
        return stream.send(Array(text.utf8))
    }
}
