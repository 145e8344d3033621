public import Exchanges

extension RecordedPiece {
    /// Appends an event.
    public mutating func append(_ facts: MessageFacts, _ event: ServerSentEvent) {
        if !event.type.isEmpty { append(.eventType, event.type) }
        if !event.id.isEmpty { append(.eventID, event.id) }
        append(.message(facts), event.data)
    }
}
