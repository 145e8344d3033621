/// How a store in PostgreSQL is written, beside what every store has.
public struct PostgresSettings: Sendable {
    /// Where the key is kept under which secrets are replaced.
    public enum Key: Sendable {
        /// In a file of 64 hexadecimal digits; it is made if it is missing and the store has no key yet.
        case file(String)
        /// In the database, where each reader can see it.
        case database
    }

    /// The name that the store shows for this Shunt; nil for that of the host.
    public var node: String?
    /// nil for the file that the process was told of, or the database without one.
    public var key: Key?
    /// A file for what passes while the server is away; nil keeps what there is room for in memory.
    public var spill: String?
    /// How long the server may take for a step of a transaction, in milliseconds.
    public var patience = 10_000

    /// How long a connection may take to be opened, in milliseconds.
    package var connecting = 10_000
    /// Steps of retention between two looks at the partitions; there is one each second, and more under load.
    package var care = 5
    /// False lets partitions grow old by the clock of this Shunt.
    package var usesServerClock = true

    public init() {}
}
