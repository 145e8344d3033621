import Platform

/// What a store in PostgreSQL and a cluster call this Shunt, unless `--node` says so.
enum NodeName {
    /// The machine's name, and what tells this Shunt from others there.
    static func usual(_ suffix: String) -> String {
        let plain = String((hostName() ?? "").prefix { $0 != "." }.prefix(40))
        let isUsable = !plain.isEmpty && plain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return (isUsable ? plain : "shunt") + suffix
    }

    /// Of a `serve`.
    static func usual(port: UInt16) -> String { usual(port == 0 ? "-\(getpid())" : ":\(port)") }
}
