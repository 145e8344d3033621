import Bytes
import Exchanges

/// An exchange's own facts as a row of the table `exchange`.
enum ExchangeColumns {
    static let names = [
        "id", "context", "started_us", "ended", "client_port", "url", "host", "status", "retries", "total_us",
        "request_bytes", "response_bytes", "facts", "error", "error_side", "error_stage",
        "graphql_errors", "grpc_status",
    ]
    static let count = names.count

    /// The columns of a summary: these, followed by those of ``ContextColumns``.
    static let all = (names.map { "exchange.\($0)" } + ContextColumns.names).joined(separator: ", ")
    static let allCount = count + ContextColumns.names.count
}

extension WriteBatch {
    /// Adds an exchange's row, or replaces it.
    mutating func add(_ state: borrowing RunningExchange, isNew: Bool, isEnded: Bool) {
        let record = state.facts
        let (client, port) = record.text(.client).map { AddressText.split(record.bytes, $0) } ?? (nil, nil)
        let context = addContext(state, record, client ?? 0..<0)
        let mark = mark
        add(.identity(state.identity))
        add(context)
        add(record.number(.startedAt))
        add(isEnded ? 1 : 0)
        add(port)
        addURL(record)
        add(record.number(.status))
        add(record.number(.retries))
        add(record.number(.total))
        add(record.number(.requestBytes))
        add(record.number(.responseBytes))
        add(blob: ExchangeFacts.append(record, to: &bytes))
        if let failure = state.failure {
            add(text: failure.text)
            add(text: failure.side)
            add(text: failure.stage)
        } else {
            add(text: append(record, .failure))
            add(text: append(record, .failureSide))
            add(text: append(record, .failureStage))
        }
        add(record.number(.graphQLErrors))
        add(record.number(.grpcStatus))
        end(isNew ? .exchange : .exchangeUpdate, at: mark)
    }

    private mutating func append(_ record: ExchangeRecord, _ text: ExchangeRecord.Text) -> Place? {
        record.text(text).map { append(record.bytes, $0) }
    }

    private mutating func addURL(_ record: ExchangeRecord) {
        let place = record.text(.url).map { append(record.bytes, $0) } ?? bytes.count..<bytes.count
        add(text: place)
        add(text: URLParts.host(bytes, place).map { lowered($0) })
    }

    /// Adds the row of the exchange's context, unless it exists, and returns its number.
    private mutating func addContext(
        _ state: borrowing RunningExchange, _ record: ExchangeRecord, _ client: Range<Int>
    ) -> Value {
        guard case .new(let index) = state.identity, !state.hasContext else {
            addContext(state, record, client, number: .own(state.identity), last: .identity(state.identity))
            return .own(state.identity)
        }
        let (requestType, responseType) = (state.request.head?.mediaType, state.response.head?.mediaType)
        let first = record.bytes.withUnsafeBytes { all in
            (requestType ?? []).withUnsafeBytes { requestType in
                (responseType ?? []).withUnsafeBytes { responseType in
                    contexts.first(
                        ContextTable.Source(
                            texts: UnsafeRawBufferPointer(rebasing: all[record.context]),
                            client: UnsafeRawBufferPointer(rebasing: all[client]), requestType: requestType,
                            responseType: responseType), index)
                }
            }
        }
        if first == index { addContext(state, record, client, number: .identity(state.identity), last: .newest) }
        return .identity(.new(first))
    }

    private mutating func addContext(
        _ state: borrowing RunningExchange, _ record: ExchangeRecord, _ client: Range<Int>, number: Value,
        last: Value
    ) {
        let mark = mark
        add(number)
        add(last)
        add(text: append(record.bytes, client))
        add(text: state.request.head?.mediaType.map { append($0) })
        add(text: state.response.head?.mediaType.map { append($0) })
        for text in ExchangeRecord.contextTexts { add(text: append(record, text)) }
        end(.context, at: mark)
        if let chain = record.string(.chain) { addCertificates(of: chain, state, number) }
    }

    /// The same text in lower case; the same place if it is lower case already.
    private mutating func lowered(_ place: Place) -> Place {
        guard bytes[place].contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return place }
        let start = bytes.count
        for index in place {
            let byte = bytes[index]
            bytes.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
        }
        return start..<bytes.count
    }
}
