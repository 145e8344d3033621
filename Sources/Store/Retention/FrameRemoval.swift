/// Removes frames of which no exchange has anything any more, and bytes of removed exchanges from others.
final class FrameRemoval {
    private let begun: SQLiteStatement
    private let later: SQLiteStatement
    private let entries: SQLiteStatement
    private let frame: SQLiteStatement
    private let places: SQLiteStatement
    private let exists: SQLiteStatement
    private let deletion: SQLiteStatement
    private let replacement: SQLiteStatement
    /// Frames that exchanges were removed from.
    private var touched: Set<Int64> = []

    init(_ connection: SQLiteConnection) throws(StoreFailure) {
        begun = try connection.prepare(
            "SELECT number FROM frame WHERE first = (SELECT max(first) FROM frame WHERE first <= ?1) AND last >= ?1")
        later = try connection.prepare("SELECT frame FROM entry WHERE exchange = ?")
        entries = try connection.prepare("DELETE FROM entry WHERE exchange = ?")
        frame = try connection.prepare("SELECT first, last, directory, bytes FROM frame WHERE number = ?")
        places = try connection.prepare("SELECT place FROM entry WHERE frame = ?")
        exists = try connection.prepare("SELECT id FROM exchange WHERE id BETWEEN ? AND ?")
        deletion = try connection.prepare("DELETE FROM frame WHERE number = ?")
        replacement = try connection.prepare("UPDATE frame SET directory = ?, bytes = ? WHERE number = ?")
    }

    /// An exchange is removed.
    func note(_ exchange: Int64) throws(StoreFailure) {
        for statement in [begun, later] {
            try statement.bind(0, .integer(exchange))
            while try statement.step() { touched.insert(statement.integer(0) ?? 0) }
        }
        try entries.bind(0, .integer(exchange))
        try entries.run()
    }

    func note(frames: some Sequence<Int64>) { touched.formUnion(frames) }

    /// Does what follows from what was noted.
    ///
    /// - Parameter leavesNothing: frames that other exchanges use are rewritten without the removed ones.
    func finish(leavesNothing: Bool) throws(StoreFailure) {
        for number in touched.sorted() {
            try frame.bind(0, .integer(number))
            guard try frame.step() else { continue }
            let bounds = (frame.integer(0) ?? 0, frame.integer(1) ?? -1)
            let known = leavesNothing ? (frame.bytes(2) ?? [], frame.bytes(3) ?? []) : ([], [])
            frame.reset()
            let own = Set(try numbers(exists, bounds.0, bounds.1))
            let others = Set(try numbers(places, number))
            guard !own.isEmpty || !others.isEmpty else {
                try deletion.bind(0, .integer(number))
                try deletion.run()
                continue
            }
            guard leavesNothing else { continue }
            let whole = Frame(
                number: number, begun: bounds.0 <= bounds.1 ? bounds.0...bounds.1 : nil, directory: known.0,
                bytes: known.1)
            let rest = whole.rewritten(keeping: { $0.map(own.contains) ?? others.contains($1) })
            guard rest.directory != known.0 || rest.bytes.count < known.1.count else { continue }
            try replacement.bind(0, .bytes(rest.directory))
            try replacement.bind(1, .bytes(rest.bytes))
            try replacement.bind(2, .integer(number))
            try replacement.run()
        }
        touched = []
    }

    private func numbers(_ statement: SQLiteStatement, _ parameters: Int64...) throws(StoreFailure) -> [Int64] {
        for (index, parameter) in parameters.enumerated() { try statement.bind(index, .integer(parameter)) }
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.integer(0) ?? 0) }
        return numbers
    }
}
