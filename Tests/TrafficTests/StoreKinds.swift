import Foundation
import Synchronization
import TestSupport
import Testing

/// The databases that a store can be in.
enum StoreKind: String, Sendable {
    case file, postgres

    @TaskLocal static var current = file

    /// One server for all tests; nil where there is none.
    static let server: PostgresServer? = try? PostgresServer()

    private static let count = Mutex(0)

    /// The address of an empty database.
    static func database() throws -> String {
        let server = try #require(server)
        let number = count.withLock { count in
            count += 1
            return count
        }
        try server.run("CREATE DATABASE store\(number)", in: "postgres")
        return server.address("store\(number)")
    }
}

/// Runs each test of a suite with both kinds of store.
struct BothStores: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await function()
        guard StoreKind.server != nil else { return }
        try await StoreKind.$current.withValue(.postgres) { try await function() }
    }
}

extension Trait where Self == BothStores {
    static var bothStores: Self { BothStores() }
}
