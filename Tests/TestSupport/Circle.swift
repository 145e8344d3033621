import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
    /// The test belongs to `make check`: matrices of foreign clients, long sweeps, what takes minutes of a processor.
    public static var extended: Self {
        .enabled(if: ProcessInfo.processInfo.environment["SHUNT_TESTS"] == "all", "it belongs to `make check`")
    }

    /// The test needs PostgreSQL's server.
    public static var postgres: Self {
        .enabled(if: PostgresServer.isThere, "PostgreSQL's server is not installed: run `make setup-test`")
    }
}
