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
        add(state.facts.exchange, state, surroundings, &facts)
    }

    /// Not by way of a variable: a copy would count the texts that it shares with those who work on the next exchange.
    private mutating func add(
        _ exchange: Exchange, _ state: borrowing RunningExchange, _ surroundings: Surroundings,
        _ facts: inout FactsWriter
    ) {
        let failure = state.failure ?? exchange.failure
        let mark = mark
        add(.identity(state.identity))
        add(exchange.startedAt)
        add(surroundings.isEnded ? 1 : 0)
        let client = append(exchange.client.address)
        let (host, port) = AddressText.split(bytes, client)
        add(text: host)
        add(port)
        add(text: exchange.client.version)
        add(text: exchange.client.tls)
        add(text: exchange.method)
        addURL(exchange.url, state.secrets)
        add(exchange.status.map(Int64.init))
        add(text: surroundings.requestType)
        add(text: surroundings.answerType)
        add(text: exchange.profile)
        add(text: exchange.reason)
        add(text: exchange.route)
        add(text: exchange.responder)
        add(text: exchange.origin?.url)
        add(text: exchange.origin?.address)
        add(text: exchange.origin?.version)
        add(text: exchange.origin?.tls)
        add(text: exchange.origin?.trust)
        add(text: exchange.origin?.trustDecision)
        add(Int64(exchange.retries))
        add(Int64(clamping: exchange.timings.total))
        add(Int64(clamping: exchange.bytes.request))
        add(Int64(clamping: exchange.bytes.answer))
        add(text: failure?.message)
        add(text: failure?.side)
        add(text: failure?.stage)
        add(text: facts.append(exchange, to: &bytes))
        end(surroundings.isNew ? .exchange : .exchangeUpdate, at: mark)
    }

    private mutating func addURL(_ url: String, _ secrets: (any RecordingFilter)?) {
        let start = bytes.count
        if let secrets {
            var url = url
            url.withUTF8 { secrets.redact(url: Span(_unsafeElements: $0), into: &bytes) }
        } else {
            bytes.append(contentsOf: url.utf8)
        }
        let place = start..<bytes.count
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
