import Foundation
import TestSupport
import Testing

/// `Tests/Soak` for some seconds, of which `make check` makes twenty minutes.
@Suite struct SoakTests {
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Soak/soak.py").path

    private static let hasPython: ConditionTrait = .enabled(
        if: ClientProgram.hasPython, "its Python is missing: run `make setup-test`")

    @Test(.extended, hasPython, arguments: ["file", "sealed"])
    func `features meet for some seconds, and client, origin, log, store, recording and metrics agree`(
        store: String
    ) async throws { try await run(store) }

    @Test(.extended, .postgres, hasPython) func `and with a database that goes away now and then`() async throws {
        try await run("postgres")
    }

    private func run(_ store: String) async throws {
        let result = try await blocking {
            try ChildProcess.run(
                ClientProgram.python, ["-B", Self.program, ShuntBinary.path, "15", "1", store], directory: "/tmp",
                seconds: 300)
        }
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("soak: all agree\n"), "\(result)")
    }
}
