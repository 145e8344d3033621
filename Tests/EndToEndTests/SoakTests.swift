import Foundation
import TestSupport
import Testing

/// `Tests/Soak` for some seconds, of which `make check` makes twenty minutes.
@Suite struct SoakTests {
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Soak/soak.py").path

    @Test(.extended, .enabled(if: ClientProgram.hasPython, "its Python is missing: run `make setup-test`"))
    func `features meet for some seconds, and client, origin, log, store, recording and metrics agree`() async throws {
        let result = try await blocking {
            try ChildProcess.run(
                ClientProgram.python, ["-B", Self.program, ShuntBinary.path, "15", "1"], directory: "/tmp", seconds: 300
            )
        }
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("soak: all agree\n"), "\(result)")
    }
}
