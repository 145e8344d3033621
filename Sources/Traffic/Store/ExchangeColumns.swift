/// How an exchange's facts stand in a row of the table of that name.
enum ExchangeColumns {
    static let names = [
        "id", "started_us", "ended", "client", "client_port", "client_protocol", "client_tls", "method", "url",
        "scheme", "host", "port", "path", "query", "status", "request_type", "answer_type", "profile", "reason",
        "route", "responder", "origin", "origin_address", "origin_protocol", "origin_tls", "trust",
        "trust_decision", "retries", "total_us", "request_bytes", "answer_bytes", "error", "error_side",
        "error_stage", "facts",
    ]
    static let count = names.count
}

extension WriteBatch {
    /// What stands in a row beside the exchange's own facts.
    struct Surroundings {
        var isNew: Bool
        var isEnded: Bool
        var requestType: Place?
        var answerType: Place?
    }

    /// Adds an exchange's row, in place of the one it may have.
    mutating func add(
        _ state: borrowing RunningExchange, _ surroundings: Surroundings, _ facts: inout FactsWriter
    ) {
        let record = state.facts
        let mark = mark
        // All of them at once, in their order.
        var texts = ExchangeRecord.Texts(record, at: append(record.bytes, record.texts).lowerBound)
        let (client, url) = (texts.take(.client), texts.take(.url))
        let failure = (texts.take(.failure), texts.take(.failureSide), texts.take(.failureStage))
        add(.identity(state.identity))
        add(record.number(.startedAt))
        add(surroundings.isEnded ? 1 : 0)
        let (host, port) = client.map { AddressText.split(bytes, $0) } ?? (nil, nil)
        add(text: host)
        add(port)
        add(text: texts.take(.clientProtocol))
        add(text: texts.take(.clientTLS))
        add(text: texts.take(.method))
        addURL(record, url ?? 0..<0, state.secrets)
        add(record.number(.status))
        add(text: surroundings.requestType)
        add(text: surroundings.answerType)
        add(text: texts.take(.profile))
        add(text: texts.take(.reason))
        add(text: texts.take(.route))
        add(text: texts.take(.responder))
        add(text: texts.take(.origin))
        add(text: texts.take(.originAddress))
        add(text: texts.take(.originProtocol))
        add(text: texts.take(.originTLS))
        add(text: texts.take(.trust))
        add(text: texts.take(.trustDecision))
        add(record.number(.retries))
        add(record.number(.total))
        add(record.number(.requestBytes))
        add(record.number(.answerBytes))
        if let told = state.failure {
            add(text: told.message)
            add(text: told.side)
            add(text: told.stage)
        } else {
            add(text: failure.0)
            add(text: failure.1)
            add(text: failure.2)
        }
        add(text: facts.append(record, to: &bytes))
        end(surroundings.isNew ? .exchange : .exchangeUpdate, at: mark)
    }

    private mutating func addURL(_ record: ExchangeRecord, _ plain: Place, _ secrets: (any RecordingFilter)?) {
        var place = plain
        if let secrets, let url = record.text(.url) {
            let start = bytes.count
            secrets.redact(url: record.bytes[url].span, into: &bytes)
            place = start..<bytes.count
        }
        let parts = URLParts(bytes, place)
        add(text: place)
        add(text: parts.scheme)
        add(text: parts.host.map { lowered($0) })
        add(parts.port)
        add(text: parts.path)
        add(text: parts.query)
    }

    /// The same text in lower case; where it is that already, the same place.
    mutating func lowered(_ place: Place) -> Place {
        guard bytes[place].contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return place }
        let start = bytes.count
        for index in place {
            let byte = bytes[index]
            bytes.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
        }
        return start..<bytes.count
    }
}
