/// What rows of the table `exchange` must fulfil: an expression of SQL with its parameters.
public struct StoreCondition: Sendable {
    public enum Value: Sendable {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// For a WHERE, with a `?` for each value.
    public var clause: String
    public var values: [Value]
    /// False for a part of a sealed store that has no such row; nil where that cannot be told.
    package var canHold: (@Sendable (SegmentIndex) -> Bool)?

    public init(_ clause: String, _ values: [Value] = []) { (self.clause, self.values) = (clause, values) }

    /// Every row.
    public static let all = StoreCondition("TRUE")
}
