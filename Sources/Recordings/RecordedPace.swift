import Bytes

/// How a recorded body came: its parts with the time before each.
public struct RecordedPace: Sendable {
    /// Nanoseconds before the part, and where it ends in the body.
    public let parts: [(wait: UInt64, end: Int)]

    /// Microseconds: longer pauses than an hour are no timing of a response.
    private static let maxWait: UInt64 = 3_600_000_000
    private static let pieces = 16

    /// Equal parts over the time that the body took.
    /// - Parameter receive: microseconds.
    public init(count: Int, receive: UInt64) {
        let pieces = max(1, min(Self.pieces, count))
        let wait = Self.pause(receive) / UInt64(pieces)
        parts = (1...pieces).map { (wait, count * $0 / pieces) }
    }

    /// Nanoseconds of a recorded time in microseconds, of an hour at most.
    public static func pause(_ microseconds: UInt64) -> UInt64 { min(microseconds, maxWait) * 1000 }

    /// The same between two times.
    public static func pause(from start: Int64, to end: Int64) -> UInt64 {
        pause(UntrustedNumber(end).minus(UntrustedNumber(start)).clamped())
    }

    /// The events of a stream, each in its time; nil where the body has another number of events.
    /// - Parameter begin: when the response began, in microseconds since 1970.
    public init?(events body: [UInt8], _ messages: [ArchivedMessage], begin: Int64) {
        let ends = Self.ends(of: body)
        guard !messages.isEmpty, ends.count == messages.count else { return nil }
        var (last, parts): (Int64, [(wait: UInt64, end: Int)]) = (begin, [])
        for (end, message) in zip(ends, messages) {
            parts.append((Self.pause(from: last, to: message.time), end))
            last = max(last, message.time)
        }
        if let end = ends.last, end < body.count { parts.append((0, body.count)) }
        self.parts = parts
    }

    /// Behind each blank line that ends an event with data.
    private static func ends(of body: [UInt8]) -> [Int] {
        var (ends, at, hasData): ([Int], Int, Bool) = ([], 0, false)
        while at < body.count {
            let end = body[at...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? body.count
            guard end < body.count else { break }
            let next = body[end] == 0x0D && end + 1 < body.count && body[end + 1] == 0x0A ? end + 2 : end + 1
            if end == at {
                if hasData { ends.append(next) }
                hasData = false
            } else if body[at..<end].starts(with: "data".utf8) {
                hasData = true
            }
            at = next
        }
        return ends
    }
}
