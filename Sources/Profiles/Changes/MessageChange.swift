/// What a route edits in messages of WebSockets and in events of streams.
public struct MessageChange: Hashable, Sendable {
    public enum Sender: String, CaseIterable, Sendable {
        case client, origin
    }

    /// Whose messages; nil for those of both.
    public let sender: Sender?
    public let condition: MessageCondition
    public let body: BodyChanges
}
