import Exchanges
import Redaction

/// What the recorder knows of an exchange between its first and its last piece.
struct RunningExchange {
    var identity: WriteBatch.Identity
    /// As it was told, without secrets; its end may get lost.
    private(set) var facts: ExchangeRecord
    /// How its end got lost.
    private(set) var failure: Exchange.Failure?
    let secrets: (any RecordingFilter)?
    var request = BodyTrack()
    var response = BodyTrack()
    var firstMessage: Int64 = 0
    var nextMessage: Int64 = 0
    /// In the table `body`.
    var hasRow = false
    /// It was described before, in words that others may have, too.
    var hasContext = false

    init(
        _ facts: ExchangeRecord, _ redaction: ProfileRedaction?, _ identity: WriteBatch.Identity,
        _ filter: (any RecordingFilter)?
    ) {
        self.identity = identity
        secrets = filter?.filter(redaction)
        self.facts = secrets.map { facts.redacted(by: $0) } ?? facts
    }

    var messageCount: Int64 { nextMessage - firstMessage }

    /// Takes over what is known by now.
    mutating func update(_ facts: ExchangeRecord) {
        self.facts = secrets.map { facts.redacted(by: $0) } ?? facts
        failure = nil
    }

    /// Keeps the facts beyond the block that they came in.
    mutating func detach() {
        if facts.bytes.count > facts.place.count { facts = facts.copy }
    }

    /// Nobody will ever know how it ended.
    mutating func lose() {
        failure = Exchange.Failure(
            side: "proxy", stage: "record", message: "how it ended was not recorded, for the disk was slow")
    }

    /// As it is told once it is written.
    var exchange: Exchange {
        var exchange = facts.exchange
        if let failure { exchange.failure = failure }
        return exchange
    }
}
