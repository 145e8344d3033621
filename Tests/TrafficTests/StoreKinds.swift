import TestSupport
import Testing

/// The databases that a store can be in.
enum StoreKind: String, Sendable {
    case file, postgres

    @TaskLocal static var current = file
}

/// Runs each test of a suite with both kinds of store; `StoreKindTests` says where PostgreSQL is missing.
struct BothStores: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await function()
        guard PostgresServer.isThere else { return }
        try await StoreKind.$current.withValue(.postgres) { try await function() }
    }
}

extension Trait where Self == BothStores {
    static var bothStores: Self { BothStores() }
}

@Suite struct StoreKindTests {
    @Test(.postgres) func `suites of both stores run with PostgreSQL, too`() throws {
        #expect(try PostgresServer.shared.get().run("SELECT 1") == "1")
    }
}
