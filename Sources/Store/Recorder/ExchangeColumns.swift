import Bytes
import Exchanges

/// An exchange's own facts as a row of the table `exchange`.
enum ExchangeColumns {
    /// What a database has to know of a column.
    enum Kind { case large, medium, small, text, bytes }

    struct Column {
        let name: String
        let kind: Kind
    }

    /// Those beside the numbers of ``ExchangeTable`` that have a column, which follow.
    enum Own: Int, CaseIterable {
        case id, context, ended, port, url, host, facts, error, errorSide, errorStage

        fileprivate var column: Column {
            switch self {
            case .id: Column(name: "id", kind: .large)
            case .context: Column(name: "context", kind: .large)
            case .ended: Column(name: "ended", kind: .small)
            case .port: Column(name: "client_port", kind: .medium)
            case .url: Column(name: "url", kind: .text)
            case .host: Column(name: "host", kind: .text)
            case .facts: Column(name: "facts", kind: .bytes)
            case .error: Column(name: "error", kind: .text)
            case .errorSide: Column(name: "error_side", kind: .text)
            case .errorStage: Column(name: "error_stage", kind: .text)
            }
        }
    }

    static let numbers = ExchangeTable.numbers.filter { $0.column != nil }
    static let written = numbers.map(\.number)
    static let list =
        Own.allCases.map(\.column)
        + numbers.compactMap(\.column).map { Column(name: $0.name, kind: Kind($0.width)) }
    static let names = list.map(\.name)
    static let count = names.count

    /// Where a number is.
    static func index(of number: ExchangeRecord.Number) -> Int {
        Own.allCases.count + (numbers.firstIndex { $0.number == number } ?? 0)
    }

    /// The columns of a summary: these, followed by those of ``ContextColumns``.
    static let all = (names.map { "exchange.\($0)" } + ContextColumns.names).joined(separator: ", ")
    static let allCount = count + ContextColumns.names.count
}

extension ExchangeColumns.Kind {
    fileprivate init(_ width: ExchangeTable.Width) {
        self =
            switch width {
            case .large: .large
            case .medium: .medium
            case .small: .small
            }
    }
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
        add(isEnded ? 1 : 0)
        add(port)
        addURL(record)
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
        for number in ExchangeColumns.written { add(record.number(number)) }
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
