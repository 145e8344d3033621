public import Exchanges

/// A recorded message.
public struct RecordedMessage: Sendable, Equatable {
    /// Counts up from 0 within its exchange.
    public let number: Int64
    public let facts: MessageFacts
    /// An event's type, where it names one.
    public let event: String?
    /// The last event ID, as the client knows it with this event; nil if there is none.
    public let eventID: String?
    /// Its bytes were not kept, since the disk was slow.
    public let isDropped: Bool
    /// The bytes that were kept; nil without any.
    public let bytes: [UInt8]?

    /// The same with other texts, such as those without secrets.
    package func with(bytes: [UInt8]?, event: String?, eventID: String?) -> RecordedMessage {
        RecordedMessage(
            number: number, facts: facts, event: event, eventID: eventID, isDropped: isDropped, bytes: bytes)
    }

    /// It had more bytes than were kept.
    public var isPartial: Bool { facts.isCut || facts.isUndecodable || isDropped }
}
