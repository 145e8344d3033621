/// A database that a reader asks, whichever it is; confined to its owner.
///
/// Both have the same tables and columns. What a reader asks is SQL that both understand, with a `?` for each parameter;
/// where they differ, ``StoreDialect`` says how.
protocol StoreDatabase: AnyObject {
    /// The path of its file, or words for its server.
    var path: String { get }
    var dialect: StoreDialect { get }
    /// The database is not that any more which was opened.
    var hasMoved: Bool { get }

    func statement(_ sql: String) throws(StoreFailure) -> any StoreStatement
}

extension StoreDatabase {
    /// The first column of the first row.
    func integer(_ sql: String) throws(StoreFailure) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }
}

/// A statement that can be run again and again; columns and parameters count from 0.
protocol StoreStatement: AnyObject {
    /// Goes to the next row; returns false behind the last one and is then ready to run again.
    func step() throws(StoreFailure) -> Bool
    func reset()
    func bind(_ index: Int, _ value: StoreCondition.Value) throws(StoreFailure)
    func integer(_ column: Int) -> Int64?
    func text(_ column: Int) -> String?
    func bytes(_ column: Int) -> [UInt8]?
}

extension StoreStatement {
    /// Runs it to its end.
    func run() throws(StoreFailure) { while try step() {} }
}

/// How the SQL of the two databases differs, as far as readers need it.
enum StoreDialect {
    case sqlite, postgres

    /// Joins exchanges with their contexts, in the order of the index that the database chooses.
    var join: String { "exchange \(context)" }

    /// Leaves the contexts away where no column of theirs is asked for, which PostgreSQL does not find out by itself.
    func join(for sql: String) -> String {
        self == .sqlite || ContextColumns.names.contains { sql.contains($0) } ? join : "exchange"
    }

    /// The same in the order of the exchanges' numbers, without sorting.
    var joinInOrder: String { self == .sqlite ? "exchange NOT INDEXED \(context)" : join }

    private var context: String { "LEFT JOIN context ON context.context = exchange.context" }

    /// The columns of ``ExchangeColumns/all``, and the name of the node that recorded the exchange.
    var summary: String {
        switch self {
        case .sqlite: ExchangeColumns.all
        case .postgres:
            ExchangeColumns.all + ", (SELECT node FROM recorder WHERE recorder.number = exchange.recorder) AS node_name"
        }
    }
}
