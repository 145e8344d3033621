import Exchanges

/// A batch in the form in which PostgreSQL takes it: one COPY for each table, and what COPY cannot do.
///
/// Rows that a batch writes and then changes become one row.
final class BatchCopy {
    /// Tables with their columns, in the order in which they are written.
    enum Table: Int, CaseIterable {
        case context, exchange, entry, frame

        var sql: String { "COPY shunt.\(self)(\(columns)) FROM STDIN (FORMAT binary)" }

        private var columns: String {
            switch self {
            case .context: "context, last, " + ContextColumns.names.joined(separator: ", ")
            case .exchange: (ExchangeColumns.list + BatchCopy.own).map(\.name).joined(separator: ", ")
            case .entry: "exchange, frame, place, kinds, message, messages"
            case .frame: "number, first, last, directory, bytes, bodies"
            }
        }
    }

    private(set) var tables = Table.allCases.map { _ in CopyBuffer() }
    /// Exchanges and contexts whose rows take the place of earlier ones.
    private(set) var replaced: (exchanges: [Int64], contexts: [Int64]) = ([], [])
    /// Rows of `certificate`, and the names of their chains.
    private(set) var certificates: [[WriteBatch.Value]] = []

    let recorder: Int64
    private let shared: SharedBodies
    /// Numbers of exchanges that were given out before they were known here.
    private let translate: (Int64) -> Int64
    private var numbers: Range<Int64> = 0..<0
    /// The number of the batch's first frame.
    private var frame: Int64 = 0
    private var sources: WriteBatch.Sources?

    init(recorder: Int64, _ shared: SharedBodies, _ translate: @escaping (Int64) -> Int64) {
        (self.recorder, self.shared, self.translate) = (recorder, shared, translate)
    }

    /// Reads a batch, whose first new exchange and first frame get numbers.
    func fill(_ batch: borrowing WriteBatch, _ sources: WriteBatch.Sources, first: Int64, frame: Int64) {
        for index in tables.indices { tables[index].removeAll() }
        (replaced, certificates) = (([], []), [])
        (numbers, self.frame, self.sources) = (first..<first + batch.newCount, frame, sources)
        addExchanges(batch)
        addContexts(batch)
        for row in batch.rows[WriteBatch.Table.certificate.rawValue] {
            certificates.append(row.map { batch.values[$0] })
        }
        for row in batch.rows[WriteBatch.Table.entry.rawValue] {
            tables[Table.entry.rawValue].begin(row.count)
            for value in row { add(batch.values[value], .large, .entry) }
        }
        for row in batch.rows[WriteBatch.Table.frame.rawValue] { addFrame(batch, row) }
        for index in tables.indices where !tables[index].isEmpty { tables[index].finish() }
    }

    func number(_ identity: WriteBatch.Identity) -> Int64 {
        switch identity {
        case .stored(let id): translate(id)
        case .new(let index): numbers.lowerBound + index
        }
    }

    /// The number that a row begins with.
    private func number(_ value: WriteBatch.Value) -> Int64 {
        switch value {
        case .identity(let identity): number(identity)
        case .own(let identity): -number(identity)
        case .integer(let number): number
        default: 0
        }
    }

    /// The bytes of a value; nil if it has none.
    func bytes(_ value: WriteBatch.Value) -> UnsafeRawBufferPointer? {
        switch value {
        case .text(let place), .blob(let place): bytes(place, sources?.bytes)
        case .content(let place): bytes(place, sources?.content)
        case .directory(let place): bytes(place, sources?.directory)
        default: nil
        }
    }

    private func bytes(_ place: WriteBatch.Bytes, _ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start.map { $0 + Int(place.start) }, count: start == nil ? 0 : Int(place.count))
    }

    @inline(__always)
    private func add(_ value: WriteBatch.Value, _ column: ExchangeColumns.Kind, _ table: Table) {
        let index = table.rawValue
        switch value {
        case .null: tables[index].null()
        case .integer(let number): tables[index].add(number, column)
        case .text: tables[index].add(text: bytes(value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .frame(let place): tables[index].add(frame + place, .large)
        case .blob, .content, .directory:
            tables[index].add(bytes(value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .identity(let identity): tables[index].add(number(identity), .large)
        case .own(let identity): tables[index].add(-number(identity), .large)
        case .newest: tables[index].add(numbers.upperBound - 1, .large)
        }
    }

    /// The last row of each exchange or context that has several, by its number.
    private func last(_ batch: borrowing WriteBatch, _ rows: ContiguousArray<Range<Int>>) -> [Int64: Range<Int>] {
        var found: [Int64: Range<Int>] = [:]
        for row in rows { found[number(batch.values[row.lowerBound])] = row }
        return found
    }
}

extension BatchCopy {
    /// Columns of `exchange` that a file of SQLite does not have.
    static let own = [
        ExchangeColumns.Column(name: "recorder", kind: .medium),
        ExchangeColumns.Column(name: "time_step", kind: .small),
    ]
    private static let columns = ExchangeColumns.list.map(\.kind)
    private static let total = ExchangeColumns.index(of: .total)

    private func addExchanges(_ batch: borrowing WriteBatch) {
        let changes = last(batch, batch.rows[WriteBatch.Table.exchangeUpdate.rawValue])
        for row in batch.rows[WriteBatch.Table.exchange.rawValue] {
            if !changes.isEmpty, changes[number(batch.values[row.lowerBound])] != nil { continue }
            addExchange(batch, row)
        }
        for (id, row) in changes.sorted(by: { $0.key < $1.key }) {
            if !numbers.contains(id) { replaced.exchanges.append(id) }
            addExchange(batch, row)
        }
    }

    private func addExchange(_ batch: borrowing WriteBatch, _ row: Range<Int>) {
        let table = Table.exchange.rawValue
        tables[table].begin(row.count + 2)
        for (column, value) in row.enumerated() { add(batch.values[value], Self.columns[column], .exchange) }
        tables[table].add(recorder, .medium)
        if case .integer(let time) = batch.values[row.lowerBound + Self.total] {
            tables[table].add(Int64(TimeHistogram.step(max(0, time))), .small)
        } else {
            tables[table].null()
        }
    }

    private func addContexts(_ batch: borrowing WriteBatch) {
        let rows = batch.rows[WriteBatch.Table.context.rawValue]
        let own = last(batch, rows.filter { number(batch.values[$0.lowerBound]) < 0 })
        for row in rows {
            let id = number(batch.values[row.lowerBound])
            if id < 0 {
                guard own[id] == row else { continue }
                if !numbers.contains(-id) { replaced.contexts.append(id) }
            }
            tables[Table.context.rawValue].begin(row.count)
            for value in row { add(batch.values[value], .large, .context) }
        }
    }

    private func addFrame(_ batch: borrowing WriteBatch, _ row: Range<Int>) {
        let table = Table.frame.rawValue
        tables[table].begin(row.count + 1)
        for value in row.prefix(3) { add(batch.values[value], .large, .frame) }
        let (directory, content) = (batch.values[row.lowerBound + 3], batch.values[row.lowerBound + 4])
        if let known = bytes(directory), let bytes = bytes(content), bytes.count >= SharedBodies.minimum {
            let whole = Frame(number: 0, begun: nil, directory: Array(known), bytes: Array(bytes))
            var (digests, indexes): ([[UInt8]], [Range<Int>: Int]) = ([], [:])
            let rest = whole.rewritten(keeping: { _, _ in true }) { place in
                if let index = indexes[place] { return index }
                guard let digest = shared.share(UnsafeRawBufferPointer(rebasing: bytes[place])) else { return nil }
                digests.append(digest)
                indexes[place] = digests.count - 1
                return digests.count - 1
            }
            if !digests.isEmpty {
                rest.directory.withUnsafeBytes { tables[table].add($0) }
                rest.bytes.withUnsafeBytes { tables[table].add($0) }
                return tables[table].add(digests)
            }
        }
        add(directory, .bytes, .frame)
        add(content, .bytes, .frame)
        tables[table].null()
    }
}
