/// Reads a store while others write to it; confined to its owner.
///
/// Nothing is locked between two calls.
public final class TrafficReader {
    let connection: SQLiteConnection
    /// No other connection has written since it was read.
    var lastBlock: ReadBlock?
    private var lastVersion: Int64?
    private var isAtOnce = false
    /// Those that were asked already; in the order of ``Question``.
    private var statements = [SQLiteStatement?](repeating: nil, count: Question.allCases.count)

    /// Opens a store that is there.
    public init(_ path: String) throws(StoreFailure) {
        let missing = StoreFailure(.missing, path: path, "no traffic was recorded here yet")
        guard StoreFiles.exists(path) else { throw missing }
        try StoreFiles.check(path)
        connection = try SQLiteConnection(path: path, isReadOnly: true)
        guard try !StoreSchema.isEmpty(connection) else { throw missing }
        try connection.run("PRAGMA mmap_size = 0; PRAGMA cache_size = -8192")
    }

    /// The number of the newest exchange; nil if there is none.
    public func newest() throws(StoreFailure) -> Int64? { try connection.integer("SELECT max(id) FROM exchange") }

    /// The key that secrets were replaced under; 32 bytes.
    public func redactionKey() throws(StoreFailure) -> [UInt8]? {
        let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'redaction_key'")
        return try statement.step() ? statement.bytes(0) : nil
    }

    /// What is wrong with the file; empty if nothing is.
    package func damages() throws(StoreFailure) -> [String] {
        let statement = try connection.prepare("PRAGMA integrity_check")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0) ?? "") }
        return lines == ["ok"] ? [] : lines
    }

    /// A statement that was prepared once, with its parameters bound; what is not stepped to its end is to be reset.
    func ask(_ question: Question, _ parameters: Int64...) throws(StoreFailure) -> SQLiteStatement {
        let statement = try prepared(question)
        statement.reset()
        for (index, parameter) in parameters.enumerated() { try statement.bind(index, .integer(parameter)) }
        return statement
    }

    private func prepared(_ question: Question) throws(StoreFailure) -> SQLiteStatement {
        if let statement = statements[question.rawValue] { return statement }
        let statement = try connection.prepare(question.sql)
        statements[question.rawValue] = statement
        return statement
    }

    /// A changed number means that another connection has written since.
    public func version() throws(StoreFailure) -> Int64 {
        let statement = try ask(.version)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) ?? 0 : 0
    }

    /// Lets all that `body` reads be of one moment, also what it reads in this way.
    ///
    /// It must not take long: SQLite's log cannot be emptied meanwhile.
    package func atOnce<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        guard !isAtOnce else { return try body() }
        try ask(.begin).run()
        isAtOnce = true
        defer {
            isAtOnce = false
            try? ask(.end).run()
        }
        let version = try version()
        if version != lastVersion { lastBlock = nil }
        lastVersion = version
        return try body()
    }

    /// A statement with the condition's values bound.
    func prepare(
        _ sql: String, _ condition: StoreCondition = .all, _ more: [Int64] = []
    ) throws(StoreFailure) -> SQLiteStatement {
        let statement = try connection.prepare(sql)
        var index = 0
        for value in condition.values + more.map({ .integer($0) }) {
            try statement.bind(index, value)
            index += 1
        }
        return statement
    }
}
