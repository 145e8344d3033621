import Bytes
import Synchronization

/// A notification that the stand-in has accepted.
public struct ReceivedPush: Sendable {
    /// From 1, in the order of arrival.
    public let number: Int
    /// Microseconds since 1970.
    public let time: Int64
    public let profile: String
    public let target: PushTarget
    public let fields: PushFields
    /// The value of `apns-id`, sent or made.
    public let id: String
    public let uniqueID: String
    /// A JSON object.
    public let payload: [UInt8]
}

/// The newest notifications that stand-ins have accepted, over all profiles.
///
/// Shared by all threads.
public final class ReceivedPushes: Sendable {
    /// Notifications that are kept.
    public static let limit = 10_000
    /// Bytes of their payloads.
    static let maxBytes = 8 << 20

    private struct State {
        var pushes: [ReceivedPush] = []
        /// Those before are dropped, and their memory is given back by and by.
        var first = 0
        var bytes = 0
        var count = 0
        var ids = PushIDs()
    }

    private let state = Mutex(State())

    public init() {}

    /// A new value for `apns-id`.
    public func makeID() -> String { state.withLock { $0.ids.next() } }

    /// Keeps a notification; returns the values of `apns-id` and `apns-unique-id`.
    public func add(
        to target: PushTarget, _ fields: PushFields, payload: [UInt8], profile: String, time: Int64
    ) -> (id: String, uniqueID: String) {
        var fields = fields
        // It is a credential, and its facts were checked.
        fields.authorization = nil
        return state.withLock { state in
            let (id, unique) = (fields.id ?? state.ids.next(), state.ids.next())
            state.count += 1
            state.bytes += payload.count
            state.pushes.append(
                ReceivedPush(
                    number: state.count, time: time, profile: profile, target: target, fields: fields, id: id,
                    uniqueID: unique, payload: payload))
            while state.pushes.count - state.first > Self.limit || state.bytes > Self.maxBytes {
                state.bytes -= state.pushes[state.first].payload.count
                state.first += 1
            }
            if state.first > Self.limit {
                state.pushes.removeFirst(state.first)
                state.first = 0
            }
            return (id, unique)
        }
    }

    /// All behind a number, the oldest first, with the count of all that ever came.
    public func list(after number: Int, limit: Int) -> (pushes: [ReceivedPush], count: Int) {
        state.withLock { state in
            let kept = state.pushes[state.first...]
            let oldest = kept.first?.number ?? state.count + 1
            let skipped = max(0, min(kept.count, number - oldest + 1))
            return (Array(kept.dropFirst(skipped).prefix(limit)), state.count)
        }
    }

    /// Forgets all; numbers go on.
    public func clear() {
        state.withLock { state in
            (state.pushes, state.first, state.bytes) = ([], 0, 0)
        }
    }
}

/// Random UUIDs (RFC 9562 5.4) without a call of the system for each; they are names, not secrets.
struct PushIDs {
    private var numbers = SplitMix64(seed: .random(in: .min ... .max))
    private static let digits = Array("0123456789ABCDEF".utf8)

    mutating func next() -> String {
        let high = numbers.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = numbers.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { room in
            var at = 0
            for place in 0..<32 {
                if [8, 12, 16, 20].contains(place) {
                    room[at] = UInt8(ascii: "-")
                    at += 1
                }
                let word = place < 16 ? high : low
                room[at] = Self.digits[Int(truncatingIfNeeded: word >> UInt64(60 - 4 * (place % 16))) & 15]
                at += 1
            }
            return 36
        }
    }
}
