/// Reads a store while others write to it; confined to its owner.
///
/// Nothing is locked between two calls.
public final class TrafficReader {
    /// Of a sealed store, the database in memory of the segment that is being read.
    private(set) var connection: any StoreDatabase
    /// The file, for other readers of it; nil for a store that is sealed, in memory or in PostgreSQL.
    package let file: String?
    /// Where the store is in PostgreSQL.
    let postgres: PostgresDatabase?
    /// Of a store that does not hold its key itself.
    private let keyFile: String?
    /// The segments of a sealed store.
    let sealed: SealedTraffic?
    /// Segments of a sealed store that were opened so far.
    package var openedSegments: Int { sealed?.loads ?? 0 }
    /// No other connection has written since it was read.
    var lastFrame: Frame?
    /// The shared body that was read last.
    var lastBody: (digest: [UInt8], bytes: [UInt8])?
    /// The row that a search in PostgreSQL is at.
    var lastSummary: TrafficSummary?
    private var lastVersion: Int64?
    private var isAtOnce = false
    /// Those that were asked already; in the order of ``Question``.
    private var statements = [(any StoreStatement)?](repeating: nil, count: Question.allCases.count)
    /// Those of the last lists: one that is looked at again and again asks the same each time.
    private var lists: [(sql: String, statement: any StoreStatement)] = []
    private static let maxLists = 4

    /// Opens a store that is there; of a sealed one into which this process records, the newest part in memory.
    public convenience init(_ path: String) throws(StoreFailure) { try self.init(path, withSegments: false) }

    /// - Parameter withSegments: all of a sealed store into which this process records, while it is unlocked.
    package init(_ path: String, withSegments: Bool) throws(StoreFailure) {
        if PostgresSession.isAddress(path) {
            let database = try PostgresDatabase(path)
            (postgres, connection, file, sealed) = (database, database, nil, nil)
            keyFile = PostgresStores.keyFile(path)
            return
        }
        (postgres, keyFile) = (nil, nil)
        let window = SealedStores.window(path)
        if SealedFolder.isSealed(path), window == nil || withSegments {
            if let opened = SealedStores.opened(path) {
                file = nil
                sealed = try SealedTraffic(path, opened)
                connection = try OpenedStore.empty(path)
                return
            }
            guard window != nil else {
                throw StoreFailure(.sealed, path: path, "the store is sealed; it can be read with an identity only")
            }
        }
        sealed = nil
        file = window == nil ? path : nil
        let path = window ?? path
        let missing = StoreFailure(.missing, path: path, "no traffic was recorded here yet")
        guard StoreFiles.exists(path) else { throw missing }
        try StoreFiles.check(path)
        let database = try SQLiteConnection(path: path, isReadOnly: true)
        guard try !StoreSchema.isEmpty(database) else { throw missing }
        try database.run("PRAGMA mmap_size = 0; PRAGMA cache_size = -8192")
        if SQLiteConnection.isMemory(path) { try database.run("PRAGMA temp_store = MEMORY") }
        connection = database
    }

    /// Keeps few of the pages that were read: enough for one that goes through a store in order.
    package func keepLittle() throws(StoreFailure) {
        guard postgres == nil else { return }
        try connection.statement("PRAGMA cache_size = -1024").run()
    }

    /// Whether several Shunts can write the store, whose names it has.
    public var hasNodes: Bool { postgres != nil }

    /// The number of the newest exchange; nil if there is none.
    public func newest() throws(StoreFailure) -> Int64? {
        if let postgres {
            let statement = try prepare("SELECT max(id) FROM exchange WHERE id <= ?", .all, [try postgres.settled()])
            defer { statement.reset() }
            return try statement.step() ? statement.integer(0) : nil
        }
        try sealed?.refresh()
        var newest: Int64?
        try eachSegment { () throws(StoreFailure) in
            let statement = try ask(.newest)
            defer { statement.reset() }
            newest = try statement.step() ? statement.integer(0) : nil
            return newest == nil
        }
        return newest
    }

    /// The key that secrets were replaced under; 32 bytes.
    public func redactionKey() throws(StoreFailure) -> [UInt8]? {
        if let sealed { return sealed.segments.last?.head.key }
        let statement = try connection.statement("SELECT value FROM meta WHERE key = 'redaction_key'")
        defer { statement.reset() }
        if try statement.step() { return statement.bytes(0) }
        return try keyFile.flatMap { file throws(StoreFailure) in try StoreKey.read(file) }
    }

    /// What is wrong with the file; empty if nothing is, and of PostgreSQL, which looks after its own.
    package func damages() throws(StoreFailure) -> [String] {
        guard postgres == nil else { return [] }
        let statement = try connection.statement("PRAGMA integrity_check")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0) ?? "") }
        return lines == ["ok"] ? [] : lines
    }

    /// A statement that was prepared once, with its parameters bound; what is not stepped to its end is to be reset.
    func ask(_ question: Question, _ parameters: Int64...) throws(StoreFailure) -> any StoreStatement {
        if let sealed, question.isOfExchange, let id = parameters.first, let index = sealed.index(of: id) {
            try turn(to: index, of: sealed)
        }
        let statement = try prepared(question)
        statement.reset()
        for (index, parameter) in parameters.enumerated() { try statement.bind(index, .integer(parameter)) }
        return statement
    }

    private func prepared(_ question: Question) throws(StoreFailure) -> any StoreStatement {
        if let statement = statements[question.rawValue] { return statement }
        let statement = try connection.statement(question.sql(connection.dialect))
        statements[question.rawValue] = statement
        return statement
    }

    /// A changed number means that another connection has written since.
    public func version() throws(StoreFailure) -> Int64 {
        if let postgres { return try postgres.version() }
        if let sealed {
            try sealed.refresh()
            return sealed.version
        }
        let statement = try ask(.version)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) ?? 0 : 0
    }

    /// Lets all that `body` reads be of one moment, also what it reads in this way.
    ///
    /// It must not take long: SQLite's log cannot be emptied meanwhile.
    package func atOnce<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
        // Nothing else writes to the database of a segment. In PostgreSQL a row that is seen has its content, also in the
        // next statement, unless it is removed meanwhile.
        guard !isAtOnce, sealed == nil, postgres == nil else { return try body() }
        try ask(.begin).run()
        isAtOnce = true
        defer {
            isAtOnce = false
            try? ask(.end).run()
        }
        let version = try version()
        if version != lastVersion { lastFrame = nil }
        lastVersion = version
        return try body()
    }

    /// Visits the segments of a sealed store that can have exchanges between these numbers, until `visit` returns false;
    /// another store as a whole.
    ///
    /// The newest comes first, unless there is `after` alone. Those that have no row for the condition are passed over.
    func eachSegment(
        where condition: StoreCondition = .all, before: Int64? = nil, after: Int64? = nil,
        _ visit: () throws(StoreFailure) -> Bool
    ) throws(StoreFailure) {
        guard let sealed else {
            _ = try visit()
            return
        }
        for index in sealed.order(before: before, after: after) where !sealed.isPassedOver(index, condition) {
            try turn(to: index, of: sealed)
            guard try visit() else { return }
        }
    }

    private func turn(to index: Int, of sealed: SealedTraffic) throws(StoreFailure) {
        guard let database = try sealed.load(index) else { return }
        connection = database
        lastFrame = nil
        for index in statements.indices { statements[index] = nil }
        lists = []
    }

    /// Runs a query of a list to its end, and visits its rows.
    func list(
        _ sql: String, _ condition: StoreCondition, _ more: [Int64], _ visit: (any StoreStatement) -> Void
    ) throws(StoreFailure) {
        // Out of the list as long as it is in use.
        let known = lists.firstIndex { $0.sql == sql }.map { lists.remove(at: $0).statement }
        let statement = if let known { known } else { try connection.statement(sql) }
        try bind(statement, condition, more)
        while try statement.step() { visit(statement) }
        if lists.count == Self.maxLists { lists.removeFirst() }
        lists.append((sql, statement))
    }

    /// A statement with the condition's values bound.
    func prepare(
        _ sql: String, _ condition: StoreCondition = .all, _ more: [Int64] = []
    ) throws(StoreFailure) -> any StoreStatement {
        let statement = try connection.statement(sql)
        try bind(statement, condition, more)
        return statement
    }

    private func bind(
        _ statement: any StoreStatement, _ condition: StoreCondition, _ more: [Int64]
    ) throws(StoreFailure) {
        var index = 0
        for value in condition.values + more.map({ .integer($0) }) {
            try statement.bind(index, value)
            index += 1
        }
    }
}
