/// A batch in the form in which PostgreSQL takes it: one COPY for each table, and what COPY cannot do.
///
/// Rows that a batch writes and then changes become one row.
final class BatchCopy {
    /// Tables with their columns, in the order in which they are written.
    enum Table: Int, CaseIterable {
        case context, exchange, content, piece, message, block

        var sql: String { "COPY shunt.\(self)(\(columns)) FROM STDIN (FORMAT binary)" }

        private var columns: String {
            switch self {
            case .context: "context, last, " + ContextColumns.names.joined(separator: ", ")
            case .exchange: ExchangeColumns.names.joined(separator: ", ") + ", recorder, time_step"
            case .content:
                "exchange, heads, request_body, request_digest, response_body, response_digest, request_flags, "
                    + "response_flags, request_kept, response_kept"
            case .piece: "exchange, side, number, bytes, digest"
            case .message: "exchange, number, time_us, sender, kind, length, bytes, flags, event, event_id"
            case .block: "first, last, places, bytes, bodies"
            }
        }
    }

    /// A row of `content`, as far as the batch has it.
    struct Content {
        var heads: [UInt8]?
        var request: WriteBatch.Bytes?
        var response: WriteBatch.Bytes?
        /// Flags and kept bytes of both bodies.
        var numbers: [Int64] = []
    }

    private(set) var tables = Table.allCases.map { _ in CopyBuffer() }
    /// Exchanges and contexts whose rows take the place of earlier ones.
    private(set) var replaced: (exchanges: [Int64], contexts: [Int64]) = ([], [])
    /// Changes to rows of `content` that are there already.
    private(set) var changed: [(exchange: Int64, content: Content)] = []
    /// Rows of `certificate`, and the names of their chains.
    private(set) var certificates: [[WriteBatch.Value]] = []

    let recorder: Int64
    private let shared: SharedBodies
    /// Numbers of exchanges that were given out before they were known here.
    private let translate: (Int64) -> Int64
    private var numbers: Range<Int64> = 0..<0
    private var sources: WriteBatch.Sources?

    init(recorder: Int64, _ shared: SharedBodies, _ translate: @escaping (Int64) -> Int64) {
        (self.recorder, self.shared, self.translate) = (recorder, shared, translate)
    }

    /// Reads a batch, whose first new exchange gets a number.
    func fill(_ batch: borrowing WriteBatch, _ sources: WriteBatch.Sources, first: Int64) {
        for index in tables.indices { tables[index].removeAll() }
        (replaced, changed, certificates) = (([], []), [], [])
        (numbers, self.sources) = (first..<first + batch.newCount, sources)
        addExchanges(batch)
        addContexts(batch)
        addContents(batch)
        for row in batch.rows[WriteBatch.Table.certificate.rawValue] {
            certificates.append(row.map { batch.values[$0] })
        }
        for row in batch.rows[WriteBatch.Table.piece.rawValue] { addPiece(batch, row) }
        for row in batch.rows[WriteBatch.Table.message.rawValue] {
            tables[Table.message.rawValue].begin(row.count)
            for value in row { add(batch.values[value], .bigint, .message) }
        }
        for row in batch.rows[WriteBatch.Table.block.rawValue] { addBlock(batch, row) }
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
        case .body(let place): bytes(place, sources?.body)
        case .places(let place): bytes(place, sources?.places)
        default: nil
        }
    }

    private func bytes(_ place: WriteBatch.Bytes) -> UnsafeRawBufferPointer { bytes(place, sources?.bytes) }

    private func bytes(_ place: WriteBatch.Bytes, _ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start.map { $0 + Int(place.start) }, count: start == nil ? 0 : Int(place.count))
    }

    @inline(__always)
    private func add(_ value: WriteBatch.Value, _ column: CopyBuffer.Column, _ table: Table) {
        let index = table.rawValue
        switch value {
        case .null: tables[index].null()
        case .integer(let number): tables[index].add(number, column)
        case .text: tables[index].add(text: bytes(value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .blob, .body, .places: tables[index].add(bytes(value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case .identity(let identity): tables[index].add(number(identity), .bigint)
        case .own(let identity): tables[index].add(-number(identity), .bigint)
        case .newest: tables[index].add(numbers.upperBound - 1, .bigint)
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
    private static let columns: [CopyBuffer.Column] = [
        .bigint, .bigint, .bigint, .smallint, .integer, .text, .text, .smallint, .integer, .bigint, .bigint, .bigint,
        .bytes, .text, .text, .text,
    ]
    private static let total = 9

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
        tables[table].add(recorder, .integer)
        if case .integer(let time) = batch.values[row.lowerBound + Self.total] {
            tables[table].add(Int64(TimeHistogram.step(max(0, time))), .smallint)
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
            for value in row { add(batch.values[value], .bigint, .context) }
        }
    }

    private func addPiece(_ batch: borrowing WriteBatch, _ row: Range<Int>) {
        let table = Table.piece.rawValue
        tables[table].begin(row.count + 1)
        for value in row.dropLast() { add(batch.values[value], .bigint, .piece) }
        add(body: bytes(batch.values[row.upperBound - 1]), of: number(batch.values[row.lowerBound]), .piece)
    }

    private func addBlock(_ batch: borrowing WriteBatch, _ row: Range<Int>) {
        let table = Table.block.rawValue
        tables[table].begin(row.count + 1)
        for value in row.prefix(2) { add(batch.values[value], .bigint, .block) }
        let (places, body) = (batch.values[row.lowerBound + 2], batch.values[row.lowerBound + 3])
        if let places = bytes(places), let body = bytes(body),
            let block = SharedBlock(places: places, bytes: body, shared)
        {
            block.places.withUnsafeBytes { tables[table].add($0) }
            block.bytes.withUnsafeBytes { tables[table].add($0) }
            tables[table].add(block.digests)
        } else {
            add(places, .bytes, .block)
            add(body, .bytes, .block)
            tables[table].null()
        }
    }

    /// Adds a body, or the digest by which it is found; one of the two is NULL.
    private func add(body: UnsafeRawBufferPointer?, of exchange: Int64, _ table: Table) {
        guard let body else {
            tables[table.rawValue].null()
            return tables[table.rawValue].null()
        }
        if let digest = share(body, of: exchange) {
            tables[table.rawValue].null()
            digest.withUnsafeBytes { tables[table.rawValue].add($0) }
        } else {
            tables[table.rawValue].add(body)
            tables[table.rawValue].null()
        }
    }

    private func share(_ body: UnsafeRawBufferPointer, of exchange: Int64) -> [UInt8]? {
        exchange / PostgresSchema.partSize == shared.part ? shared.share(body) : nil
    }
}

extension BatchCopy {
    private func addContents(_ batch: borrowing WriteBatch) {
        var changes: [Int64: Content] = [:]
        for row in batch.rows[WriteBatch.Table.bodyUpdate.rawValue] {
            read(batch, row, to: &changes[number(batch.values[row.lowerBound]), default: Content()])
        }
        for row in batch.rows[WriteBatch.Table.body.rawValue] {
            let id = number(batch.values[row.lowerBound])
            var content = Content()
            read(batch, row, to: &content)
            if let change = changes.removeValue(forKey: id) { content.take(change) }
            add(content, of: id)
        }
        changed = changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func read(_ batch: borrowing WriteBatch, _ row: Range<Int>, to content: inout Content) {
        func place(_ column: Int) -> WriteBatch.Bytes? {
            if case .blob(let place) = batch.values[row.lowerBound + column] { place } else { nil }
        }
        var next = Content()
        next.heads = place(1).map { Array(bytes($0)) }
        (next.request, next.response) = (place(2), place(3))
        next.numbers = row.dropFirst(4).map { value in
            if case .integer(let number) = batch.values[value] { number } else { 0 }
        }
        content.take(next)
    }

    private func add(_ content: Content, of id: Int64) {
        let table = Table.content.rawValue
        tables[table].begin(10)
        tables[table].add(id, .bigint)
        if let heads = content.heads { heads.withUnsafeBytes { tables[table].add($0) } } else { tables[table].null() }
        add(body: content.request.map { bytes($0) }, of: id, .content)
        add(body: content.response.map { bytes($0) }, of: id, .content)
        for number in content.numbers { tables[table].add(number, .bigint) }
    }

    /// The bytes of a body in a change, or the digest by which it is found.
    func body(_ place: WriteBatch.Bytes?, of exchange: Int64) -> (bytes: [UInt8]?, digest: [UInt8]?) {
        guard let place else { return (nil, nil) }
        let digest = share(bytes(place), of: exchange)
        return (digest == nil ? Array(bytes(place)) : nil, digest)
    }
}

extension BatchCopy.Content {
    /// Takes over what came later.
    mutating func take(_ later: BatchCopy.Content) {
        if let more = later.heads { heads = (heads ?? []) + more }
        request = later.request ?? request
        response = later.response ?? response
        numbers = later.numbers
    }
}
