/// The facts of a WebSocket message or frame, or of an event of a stream, apart from its bytes.
public struct MessageFacts: Sendable, Equatable {
    public enum Sender: Int64, Sendable {
        case client = 0
        case origin = 1
    }

    public enum Kind: Sendable, CaseIterable {
        case text, binary, ping, pong, close
        /// Of `text/event-stream`.
        case event
        /// A message of Shunt's about bytes that break the protocol; later bytes of the same side were not read.
        case error

        /// As it stands in the store.
        public var name: String {
            switch self {
            case .text: "text"
            case .binary: "binary"
            case .ping: "ping"
            case .pong: "pong"
            case .close: "close"
            case .event: "event"
            case .error: "error"
            }
        }

        /// A control frame (RFC 6455 5.5).
        public var isControl: Bool { self == .ping || self == .pong || self == .close }
    }

    /// Microseconds since 1970, UTC.
    public var time: Int64
    public var sender: Sender
    public var kind: Kind
    /// Bytes that it had, whether they were kept or not; a lower bound if counting stopped early.
    public var length: Int64
    /// It had more bytes than were kept.
    public var isCut = false
    /// It is compressed and could not be inflated; the length is that on the wire.
    public var isUndecodable = false
    /// It was put in from outside; the other end has not sent it.
    public var isInjected = false
    /// It did not go on: another message was sent in its place, or none.
    public var isWithheld = false
    /// It was sent in the place of the message before it.
    public var isEdited = false

    public init(time: Int64, sender: Sender, kind: Kind, length: Int64) {
        self.time = time
        self.sender = sender
        self.kind = kind
        self.length = length
    }
}
