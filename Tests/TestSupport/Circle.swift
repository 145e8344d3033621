import Foundation
public import Testing

/// What of the tests runs: without anything said what belongs to `make test`.
public enum Circle {
    /// Everything, as in `make check`; sweeps have all their values then.
    public static let isWhole = ProcessInfo.processInfo.environment["SHUNT_TESTS"] == "all"

    /// Of a long sweep every seventh value, and in `make check` all.
    public static func some<Values: Sequence>(of values: Values) -> [Values.Element] {
        values.enumerated().filter { isWhole || $0.offset % 7 == 0 }.map(\.element)
    }

    /// The values of a sweep: a few of them, and in `make check` all.
    public static func values<Value>(_ few: [Value], andAll more: [Value]) -> [Value] { isWhole ? few + more : few }
}

extension Trait where Self == ConditionTrait {
    /// The test belongs to `make check`: matrices of foreign clients, long sweeps, what takes seconds of a processor.
    public static var extended: Self { .enabled(if: Circle.isWhole, "it belongs to `make check`") }

    /// The test needs PostgreSQL's server.
    public static var postgres: Self {
        .enabled(if: PostgresServer.isThere, "PostgreSQL's server is not installed: run `make setup-test`")
    }
}
