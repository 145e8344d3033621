import TestSupport
import Testing

@Suite struct DemoTests {
    @Test func `the demo sends one request through each profile and leaves nothing behind`() throws {
        let folder = try TemporaryFolder()
        let result = try ChildProcess.run(
            ShuntBinary.path, ["demo", "--once", "--port", "0"], directory: folder.path,
            environment: ["TMPDIR": folder.path])
        #expect(result.status == 0, "\(result.errors)")
        for profile in ["staging", "production", "local"] {
            #expect(result.output.contains("\"hello\":\"from \(profile)\""))
            #expect(result.output.contains("Shunt-Answered-By: \(profile);"))
        }
        #expect(result.output.contains("trust default, verified"))
        #expect(result.output.contains("trust disabled, accepted unverified: self-signed certificate"))
        #expect(result.errors.contains("NOT checked"))
        #expect(try ChildProcess.run("/bin/ls", ["-A", folder.path]).output.isEmpty)
    }
}
