/// What is known of a WebSocket message or frame, or of an event of a stream, apart from its bytes.
public struct MessageFacts: Sendable, Equatable {
    public enum Sender: Int64, Sendable {
        case client = 0
        case origin = 1
    }

    public enum Kind: Sendable, CaseIterable {
        case text, binary, ping, pong, close
        /// Of `text/event-stream`.
        case event

        /// As it stands in the store.
        public var name: String {
            switch self {
            case .text: "text"
            case .binary: "binary"
            case .ping: "ping"
            case .pong: "pong"
            case .close: "close"
            case .event: "event"
            }
        }
    }

    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var sender: Sender
    public var kind: Kind
    /// Bytes that it had, whether they were kept or not.
    public var length: Int64

    public init(time: Int64, sender: Sender, kind: Kind, length: Int64) {
        self.time = time
        self.sender = sender
        self.kind = kind
        self.length = length
    }
}

/// A message as it was written down.
public struct RecordedMessage: Sendable, Equatable {
    /// Counts up from 0 within its exchange.
    public let number: Int64
    public let facts: MessageFacts
    /// What was kept; nil if that is nothing, for the disk was slow.
    public let bytes: [UInt8]?
}
