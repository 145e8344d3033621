/// A condition on the log's table `exchange`, with a parameter for every question mark.
///
/// The log serves it with the indexes (host, id), (status, id) and (started_us).
public struct FilterSQL: Hashable, Sendable {
    /// The condition behind `WHERE`; columns are those of `exchange`, and their names alone.
    public var condition: String
    public var parameters: [Parameter]
    /// Every row that it selects matches; if not, it selects all that match and others, to be sorted out by `matches`.
    public var isExact: Bool

    public enum Parameter: Hashable, Sendable {
        case integer(Int64)
        case text(String)
    }

    init(_ condition: String, _ parameters: [Parameter] = [], isExact: Bool = true) {
        self.condition = condition
        self.parameters = parameters
        self.isExact = isExact
    }

    static let all = FilterSQL("TRUE")
    static let none = FilterSQL("FALSE")
    /// The part that columns cannot decide.
    static let unknown = FilterSQL("TRUE", isExact: false)

    private var selectsAll: Bool { condition == "TRUE" }

    static func and(_ parts: [FilterSQL]) -> FilterSQL {
        if parts.contains(.none) { return .none }
        let isExact = parts.allSatisfy(\.isExact)
        let useful = parts.filter { !$0.selectsAll }
        guard !useful.isEmpty else { return FilterSQL("TRUE", isExact: isExact) }
        return joined(useful, by: " AND ", isExact: isExact)
    }

    static func or(_ parts: [FilterSQL]) -> FilterSQL {
        if parts.contains(.all) { return .all }
        if parts.contains(where: \.selectsAll) { return .unknown }
        let isExact = parts.allSatisfy(\.isExact)
        let useful = parts.filter { $0 != .none }
        return useful.isEmpty ? .none : joined(useful, by: " OR ", isExact: isExact)
    }

    private static func joined(_ parts: [FilterSQL], by separator: String, isExact: Bool) -> FilterSQL {
        let condition = parts.map(\.condition).joined(separator: separator)
        return FilterSQL(
            parts.count == 1 ? condition : "(\(condition))", parts.flatMap(\.parameters), isExact: isExact)
    }

    /// Selects exactly the others; only for what is exact.
    ///
    /// A condition on a column without a value is neither true nor false; here, it is false.
    var inverted: FilterSQL {
        if self == .all { return .none }
        return self == .none ? .all : FilterSQL("NOT coalesce(\(condition), FALSE)", parameters)
    }
}
