/// A parameter of a statement; its type is what the statement makes of it (`$1::bigint`).
public enum PostgresValue: Sendable, Hashable {
    case null
    case integer(Int64)
    /// Without NUL characters, which PostgreSQL cannot store in text.
    case text(String)
    case bytes([UInt8])
    case boolean(Bool)
}
