import CPostgres
import Platform

extension PostgresConnection {
    /// Runs one or several statements without parameters, and drops their results.
    public func run(_ sql: String, until deadline: PostgresDeadline? = nil) throws(PostgresFailure) {
        let deadline = deadline ?? .after(milliseconds: patience)
        guard library.sendQuery(handle, sql) == 1 else { throw failure() }
        try finish(until: deadline) { _ in }
    }

    /// Runs a statement, with `$1` and so on for its parameters, and returns its rows.
    @discardableResult
    public func query(
        _ sql: String, _ parameters: [PostgresValue] = [], until deadline: PostgresDeadline? = nil
    ) throws(PostgresFailure) -> PostgresRows {
        let deadline = deadline ?? .after(milliseconds: patience)
        try send(sql, parameters)
        var found: PostgresRows?
        try finish(until: deadline) { found = $0 }
        guard let found else { throw PostgresFailure(.lost, "\(address) sent no result") }
        return found
    }

    /// The same, row by row as they arrive, until `visit` returns false; each is the only one of its rows.
    ///
    /// - Parameter deadline: for the wait for each row.
    public func stream<Failure: Error>(
        _ sql: String, _ parameters: [PostgresValue] = [], patience: Int? = nil,
        _ visit: (PostgresRows) throws(Failure) -> Bool
    ) throws(PostgresFailure) -> Result<Void, Failure> {
        try send(sql, parameters)
        _ = library.setSingleRowMode(handle)
        var isWanted = true
        var result = Result<Void, Failure>.success(())
        try finish(patience: patience ?? self.patience) { rows in
            guard isWanted, rows.count > 0 else { return }
            do throws(Failure) {
                isWanted = try visit(rows)
            } catch {
                (isWanted, result) = (false, .failure(error))
            }
        }
        return result
    }

    /// Begins a COPY … FROM STDIN, takes all its bytes, and returns when the server has them.
    public func copy(
        _ sql: String, _ bytes: UnsafeRawBufferPointer, until deadline: PostgresDeadline? = nil
    ) throws(PostgresFailure) {
        let deadline = deadline ?? .after(milliseconds: patience)
        guard library.sendQuery(handle, sql) == 1 else { throw failure() }
        try receive(until: deadline)
        guard let result = library.getResult(handle) else { throw failure() }
        let status = library.resultStatus(result)
        guard status == ResultStatus.copyIn else {
            let failure = failure(of: result)
            library.clear(result)
            try finish(until: deadline) { _ in }
            throw failure
        }
        library.clear(result)
        // In pieces, so that libpq's own buffer stays small.
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 18))
            let put = library.putCopyData(
                handle, piece.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(piece.count))
            guard put >= 0 else { throw failure() }
            try flush(until: deadline)
            if put == 1 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count)) }
        }
        while true {
            let end = library.putCopyEnd(handle, nil)
            guard end >= 0 else { throw failure() }
            try flush(until: deadline)
            if end == 1 { break }
        }
        try finish(until: deadline) { _ in }
    }

    /// Runs `body` within a transaction, which is rolled back if it throws.
    public func transaction<Failure: Error>(
        _ begin: String = "BEGIN", mapping map: (PostgresFailure) -> Failure, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        do throws(PostgresFailure) { try run(begin) } catch { throw map(error) }
        do throws(Failure) {
            try body()
        } catch {
            if isUsable { try? run("ROLLBACK") }
            throw error
        }
        do throws(PostgresFailure) { try run("COMMIT") } catch { throw map(error) }
    }

    private enum ResultStatus {
        static let copyOut: CInt = 3
        static let copyIn: CInt = 4
        static let badResponse: CInt = 5
        static let fatalError: CInt = 7
    }

    private func send(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresFailure) {
        let texts = parameters.map { Self.text($0) }
        let formats: [CInt] = parameters.map { if case .bytes = $0 { 1 } else { 0 } }
        let lengths = texts.map { CInt(clamping: $0?.count ?? 0) }
        // One piece of memory for all: each value ends with a NUL, which texts need.
        var memory: [UInt8] = []
        let starts = texts.map { text -> Int? in
            guard let text else { return nil }
            defer { memory += text + [0] }
            return memory.count
        }
        let isSent = memory.withUnsafeBufferPointer { memory in
            memory.withMemoryRebound(to: CChar.self) { memory in
                let values = starts.map { start in start.flatMap { memory.baseAddress?.advanced(by: $0) } }
                return library.sendQueryParams(handle, sql, CInt(parameters.count), nil, values, lengths, formats, 1)
            }
        }
        guard isSent == 1 else { throw failure() }
    }

    private static func text(_ value: PostgresValue) -> [UInt8]? {
        switch value {
        case .null: nil
        case .integer(let number): Array(String(number).utf8)
        // A NUL would end the text.
        case .text(let text): Array(text.utf8).map { $0 == 0 ? 0x20 : $0 }
        case .bytes(let bytes): bytes
        case .boolean(let isTrue): [isTrue ? 0x74 : 0x66]
        }
    }

    /// Takes all results of what was sent; throws the first failure among them when all are there.
    private func finish(
        until deadline: PostgresDeadline? = nil, patience: Int = 0, _ take: (PostgresRows) -> Void
    ) throws(PostgresFailure) {
        var failure: PostgresFailure?
        while true {
            try receive(until: deadline ?? .after(milliseconds: patience))
            guard let result = library.getResult(handle) else { break }
            let rows = PostgresRows(result, library)
            switch library.resultStatus(result) {
            case ResultStatus.badResponse, ResultStatus.fatalError: failure = failure ?? self.failure(of: result)
            case ResultStatus.copyIn: _ = library.putCopyEnd(handle, "no data was expected")
            default: take(rows)
            }
        }
        if let failure { throw failure }
    }

    /// Sends what waits, and receives until a result is complete.
    private func receive(until deadline: PostgresDeadline) throws(PostgresFailure) {
        try flush(until: deadline)
        while library.isBusy(handle) == 1 {
            guard wait(for: Int16(POLLIN), until: deadline) else { throw timedOut() }
            guard library.consumeInput(handle) == 1 else { throw failure() }
        }
    }

    private func flush(until deadline: PostgresDeadline) throws(PostgresFailure) {
        while true {
            let state = library.flush(handle)
            guard state >= 0 else { throw failure() }
            guard state == 1 else { return }
            // A server that sends while it is sent to must be read from, or both would wait.
            guard wait(for: Int16(POLLOUT | POLLIN), until: deadline) else { throw timedOut() }
            guard library.consumeInput(handle) == 1 else { throw failure() }
        }
    }

    /// Ends the connection, since the server may still be at work on what it was sent.
    private func timedOut() -> PostgresFailure {
        shutdown(library.socket(handle), CInt(SHUT_RDWR))
        return PostgresFailure(.timedOut, "\(address) does not respond in time")
    }

    func failure() -> PostgresFailure {
        PostgresFailure(isUsable ? .statement(state: "XX000") : .lost, message)
    }

    private func failure(of result: OpaquePointer) -> PostgresFailure {
        let field = library.resultErrorField(result, CInt(UInt8(ascii: "C")))
        // libpq itself makes a result without a state when the connection is gone.
        guard let field else { return PostgresFailure(.lost, message) }
        let state = String(cString: field)
        let words = library.resultErrorField(result, CInt(UInt8(ascii: "M"))).map { String(cString: $0) } ?? message
        return PostgresFailure(.statement(state: state), "\(words) (SQLSTATE \(state))")
    }
}
