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
        // All texts at once; where each lies follows from where it lay.
        let texts = record.texts
        let moved = append(record.bytes, texts).lowerBound - texts.lowerBound
        func place(_ text: ExchangeRecord.Text) -> Place? {
            record.text(text).map { $0.lowerBound + moved..<$0.upperBound + moved }
        }
        add(.identity(state.identity))
        add(record.number(.startedAt))
        add(surroundings.isEnded ? 1 : 0)
        let (host, port) = place(.client).map { AddressText.split(bytes, $0) } ?? (nil, nil)
        add(text: host)
        add(port)
        add(text: place(.clientProtocol))
        add(text: place(.clientTLS))
        add(text: place(.method))
        if let url = record.text(.url) { addURL(record.bytes, url, state.secrets, place(.url)) }
        add(record.number(.status))
        add(text: surroundings.requestType)
        add(text: surroundings.answerType)
        add(text: place(.profile))
        add(text: place(.reason))
        add(text: place(.route))
        add(text: place(.responder))
        add(text: place(.origin))
        add(text: place(.originAddress))
        add(text: place(.originProtocol))
        add(text: place(.originTLS))
        add(text: place(.trust))
        add(text: place(.trustDecision))
        add(record.number(.retries))
        add(record.number(.total))
        add(record.number(.requestBytes))
        add(record.number(.answerBytes))
        if let failure = state.failure {
            add(text: failure.message)
            add(text: failure.side)
            add(text: failure.stage)
        } else {
            add(text: place(.failure))
            add(text: place(.failureSide))
            add(text: place(.failureStage))
        }
        add(text: facts.append(record, to: &bytes))
        end(surroundings.isNew ? .exchange : .exchangeUpdate, at: mark)
    }

    private mutating func addURL(
        _ source: [UInt8], _ url: Range<Int>, _ secrets: (any RecordingFilter)?, _ plain: Place?
    ) {
        let start = bytes.count
        let slice = source[url]
        secrets?.redact(url: slice.span, into: &bytes)
        let place = secrets == nil ? plain ?? start..<start : start..<bytes.count
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
