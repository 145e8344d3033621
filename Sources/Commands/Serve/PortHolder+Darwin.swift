#if canImport(Darwin)
/// Finds out who listens on a port: Darwin tells that to its own tools only.
enum PortHolder {
    static func find(_ port: UInt16) -> String? { nil }

    /// What to type to find out more.
    static func advice(_ port: UInt16) -> String { "See who it is: lsof -nP -iTCP:\(port) -sTCP:LISTEN" }
}
#endif
