/// What the recorder knows of an exchange between its first and its last piece.
struct RunningExchange {
    var identity: WriteBatch.Identity
    /// As it was told first; stands when its end gets lost.
    var exchange: Exchange
    var secrets: (any RecordingFilter)?
    var request = BodyTrack()
    var answer = BodyTrack()
    var firstMessage: Int64 = 0
    var nextMessage: Int64 = 0
    var hasRow = false

    init(_ exchange: consuming Exchange, _ identity: WriteBatch.Identity, _ filter: (any RecordingFilter)?) {
        self.identity = identity
        secrets = filter?.filter(profile: exchange.profile)
        self.exchange = exchange
        redactFacts()
    }

    var messageCount: Int64 { nextMessage - firstMessage }

    /// Takes over what is known by now.
    mutating func update(_ exchange: consuming Exchange) {
        self.exchange = exchange
        redactFacts()
    }

    private mutating func redactFacts() {
        guard let secrets else { return }
        exchange.url = secrets.redact(url: exchange.url)
        if let message = exchange.failure?.message {
            let redacted = secrets.redact(message: Array(message.utf8)[...], isText: true)
            exchange.failure?.message = String(decoding: redacted, as: UTF8.self)
        }
    }
}
