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

    @Test func `each command that the demo names works, and shows what the others have done`() throws {
        let folder = try TemporaryFolder()
        let demo = try ChildProcess(
            "/bin/sh", ["-c", "exec \(ShuntBinary.path) demo --port 0 2>&1"], directory: folder.path,
            environment: ["TMPDIR": folder.path])
        defer { if demo.isRunning { demo.signal(9) } }
        #expect(eventually { demo.output.contains("Ctrl-C ends the demo.") })
        // The log of its own requests does not come in between.
        #expect(eventually { demo.output.contains("[local by header]") })
        #expect(demo.output.split(separator: "Ctrl-C ends the demo.").first?.contains(" by header]") == false)
        let lines = demo.output.split(separator: "\n").drop { !$0.hasPrefix("Try it") }
        let commands = lines.filter { $0.hasPrefix("  ") }.map(String.init)
        #expect(commands.count == 9)
        let outputs = try commands.map { command in
            // No browser opens here, and no pager.
            let words = ["-c", command.replacing("inspect", with: "inspect --print")]
            var result = try ChildProcess.run("/bin/sh", words, directory: folder.path)
            // A client that is refused before its body has come may be gone before its exchange is over.
            let isRefusalListed = try eventually {
                if !command.contains(" logs ") || result.output.contains(" 403 ") { return true }
                result = try ChildProcess.run("/bin/sh", words, directory: folder.path)
                return false
            }
            #expect(result.status == 0 && isRefusalListed, "\(command): \(result.errors)")
            return result.output
        }
        let expected = [
            "from local", "staging is active", "from staging", "from production", "production is read-only",
            "/#login=", "/v1/cart/hello 403", "staging", "route",
        ]
        for (part, (command, output)) in zip(expected, zip(commands, outputs)) {
            #expect(output.contains(part), "\(command)\n\(output)")
        }
        demo.signal(2)
        #expect(try demo.wait().status == 0)
        #expect(try ChildProcess.run("/bin/ls", ["-A", folder.path]).output.isEmpty)
    }
}
