/// What the recorder knows of an exchange between its first and its last piece.
struct RunningExchange {
    var identity: WriteBatch.Identity
    /// As it was told; its end may get lost.
    private(set) var facts: ExchangeRecord
    /// How its end got lost, or why it failed, without secrets; nil where the facts may be told as they are.
    private(set) var failure: Exchange.Failure?
    let secrets: (any RecordingFilter)?
    var request = BodyTrack()
    var answer = BodyTrack()
    var firstMessage: Int64 = 0
    var nextMessage: Int64 = 0
    /// In the table `content`.
    var hasRow = false
    /// It was described before, in words that others may have, too.
    var hasContext = false

    init(
        _ facts: ExchangeRecord, _ redaction: ProfileRedaction?, _ identity: WriteBatch.Identity,
        _ filter: (any RecordingFilter)?
    ) {
        self.identity = identity
        secrets = filter?.filter(redaction)
        self.facts = facts
        redactFailure()
    }

    var messageCount: Int64 { nextMessage - firstMessage }

    /// Takes over what is known by now.
    mutating func update(_ facts: ExchangeRecord) {
        self.facts = facts
        redactFailure()
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
        guard let secrets else { return exchange }
        var url: [UInt8] = []
        Array(exchange.url.utf8).withSpan { secrets.redact(url: $0, into: &url) }
        exchange.url = String(decoding: url, as: UTF8.self)
        return exchange
    }

    private mutating func redactFailure() {
        failure = nil
        guard let secrets, facts.text(.failure) != nil, var failure = facts.exchange.failure else { return }
        var message: [UInt8] = []
        Array(failure.message.utf8).withSpan { secrets.redact(message: $0, isText: true, into: &message) }
        failure.message = String(decoding: message, as: UTF8.self)
        self.failure = failure
    }
}
