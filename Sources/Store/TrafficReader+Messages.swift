import Exchanges

extension TrafficReader {
    /// Messages of an exchange in their order, those behind a number.
    public func messages(
        of id: Int64, after number: Int64 = -1, limit: Int
    ) throws(StoreFailure) -> [RecordedMessage] {
        let statement = try ask(.messages, id, number, Int64(max(0, limit)))
        var messages: [RecordedMessage] = []
        while try statement.step() { messages.append(Self.message(statement)) }
        return messages
    }

    /// The number of an exchange's newest message; nil if it has none.
    public func newestMessage(of id: Int64) throws(StoreFailure) -> Int64? {
        let statement = try ask(.newestMessage, id)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    private static func message(_ row: any StoreStatement) -> RecordedMessage {
        let name = row.text(3)
        var facts = MessageFacts(
            time: row.integer(1) ?? 0,
            sender: row.integer(2).flatMap { MessageFacts.Sender(rawValue: $0) } ?? .client,
            kind: MessageFacts.Kind.allCases.first { $0.name == name } ?? .binary, length: row.integer(4) ?? 0)
        let bytes = row.bytes(5)
        let flags = BodyTrack.Flags(rawValue: row.integer(6) ?? 0)
        facts.isCut = flags.contains(.cut)
        facts.isUndecodable = flags.contains(.undecodable)
        return RecordedMessage(
            number: row.integer(0) ?? 0, facts: facts, event: row.text(7), eventID: row.text(8),
            isDropped: flags.contains(.dropped), bytes: bytes)
    }
}
