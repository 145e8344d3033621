import Foundation
import TestSupport
import Testing

/// Servers that Shunt starts for origins, as `docs/origins.md` says.
@Suite(.enabled(if: ClientProgram.hasPython, "python3 \(ClientProgram.hint)"))
struct ProgramServingTests {
    /// Waits for a file before it listens, and leaves a line with its process id for each start.
    private static let server = """
        import http.server, os, time
        with open("starts", "a") as file: file.write("%d\\n" % os.getpid())
        print("password=planted-5d1f-secret", flush=True)
        while not os.path.exists("open"): time.sleep(0.01)
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                body = b"%d" % os.getpid()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_): pass
        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128
        Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
        """

    private static func profile(_ port: UInt16, _ more: String = "", _ command: String = "") -> String {
        let run = command.isEmpty ? "exec '\(ClientProgram.python)' server.py" : command
        return """
            { "kind": "local", "routes": [{ "path": "/ping", "mock": { "text": "pong" } }, { "origin":
              { "run": "\(run)", "url": "http://127.0.0.1:\(port)", "in": ".."\(more) } }] }
            """
    }

    private static func starts(_ shunt: ServingShunt) -> [Int32] {
        ((try? shunt.folder.read("starts")) ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    private static func ask(_ shunt: ServingShunt, _ version: String = "--http1.1") throws -> Int32? {
        Int32(try shunt.curl(version, "http://localhost:\(shunt.port)/").output)
    }

    private static func isGone(_ pid: Int32) -> Bool { kill(pid, 0) != 0 }

    @Test func `the first request starts a server, which outlives neither its profile nor Shunt`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(["local": Self.profile(port)], files: ["server.py": Self.server])
        let place = "127.0.0.1:\(port)"
        #expect(Self.starts(shunt).isEmpty)
        #expect(try shunt.run("status").output.contains("\(place): `") == true)
        let burst = try ChildProcess(
            "/usr/bin/env",
            ["curl", "-sS", "--noproxy", "*", "-Z", "--parallel-max", "50", "http://localhost:\(shunt.port)/?n=[1-50]"])
        #expect(eventually { Self.starts(shunt).count == 1 })
        try shunt.folder.write("open", "")
        let answers = try burst.wait()
        let pid = try #require(Self.starts(shunt).first)
        #expect(answers.output == String(repeating: "\(pid)", count: 50), "\(answers)")
        let logs = try shunt.run("logs", "--origin", "\(port)").output
        #expect(logs.hasPrefix("\(place) | password=<redacted:password:") && !logs.contains("planted"), "\(logs)")
        #expect(try shunt.run("status").output.contains("runs (pid \(pid))"))
        let explained = try shunt.run("explain", "http://localhost/").output
        #expect(explained.contains("started by the first request") && explained.contains("runs (pid \(pid))"))
        // It dies, and is there again for the next request.
        kill(pid, SIGKILL)
        #expect(eventually { Self.isGone(pid) })
        let second = try #require(try Self.ask(shunt, "--http2-prior-knowledge"))
        #expect(Self.starts(shunt) == [pid, second])
        // A reload that leaves it as it is, and one that changes it.
        try shunt.folder.write("Profiles/local.json", Self.profile(port).replacing("pong", with: "again"))
        #expect(try shunt.run("reload").status == 0)
        #expect(try Self.ask(shunt) == second)
        try shunt.folder.write("Profiles/local.json", Self.profile(port, #", "ready": "/up""#))
        #expect(try shunt.run("reload").status == 0)
        #expect(eventually { Self.starts(shunt).count == 3 && Self.isGone(second) })
        let third = try #require(try Self.ask(shunt))
        #expect(Self.starts(shunt) == [pid, second, third])
        // However Shunt ends.
        shunt.process.signal(9)
        #expect(eventually { Self.isGone(third) })
    }

    @Test func `a start outlives a switch of the profile, and ends with a reload of another command, and with Shunt`()
        throws
    {
        let ports = (0..<3).map { _ in FreePort.find() }
        func command(_ argument: String) -> String { "exec '\(ClientProgram.python)' server.py \(argument)" }
        let shunt = try ServingShunt(
            [
                "local": Self.profile(ports[0]), "second": Self.profile(ports[1], "", command("2")),
                "third": Self.profile(ports[2], "", command("3")),
                "other": #"{"kind": "staging", "routes": [{"mock": {"text": "other"}}]}"#,
            ], ["--profile", "local"], files: ["server.py": Self.server])
        func ask(_ fields: String...) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/env",
                ["curl", "-sS", "--max-time", "120", "-w", " %{http_code}", "--noproxy", "*"]
                    + fields.flatMap { ["-H", $0] } + ["http://localhost:\(shunt.port)/"])
        }
        // Where the network is cut, a request starts nothing, and one that waits ends.
        #expect(try shunt.run("offline", "on").status == 0)
        #expect(try ask().wait().output.hasSuffix(" 502") && Self.starts(shunt).isEmpty)
        #expect(try shunt.run("offline", "off").status == 0)
        let cut = try ask()
        #expect(eventually { Self.starts(shunt).count == 1 })
        #expect(try shunt.run("offline", "on").status == 0)
        let end = try cut.wait().output
        #expect(end.hasSuffix(" 502") && end.contains("shunt offline off"), "\(end)")
        #expect(try shunt.run("offline", "off").status == 0)
        // The request of the profile that was left gets its response, and the server goes on.
        #expect(try shunt.run("use", "second").status == 0)
        let waiting = try ask()
        #expect(eventually { Self.starts(shunt).count == 2 })
        #expect(try shunt.run("use", "other").status == 0)
        #expect(try ask().wait().output == "other 200")
        try shunt.folder.write("open", "")
        let second = try #require(Self.starts(shunt).last)
        #expect(try waiting.wait().output == "\(second) 200")
        #expect(try ask("Shunt-Profile: second").wait().output == "\(second) 200")
        #expect(Self.starts(shunt).count == 2)
        // Another command takes the place of the one that a request waits for.
        try FileManager.default.removeItem(atPath: shunt.folder.path + "/open")
        let late = try ask("Shunt-Profile: third")
        #expect(eventually { Self.starts(shunt).count == 3 })
        try shunt.folder.write("Profiles/third.json", Self.profile(ports[2], "", command("4")))
        #expect(try shunt.run("reload").status == 0)
        #expect(try late.wait().output.hasSuffix(" 502"))
        #expect(eventually { Self.starts(shunt).count == 4 })
        let all = Self.starts(shunt)
        #expect(Self.isGone(all[2]) && !all.prefix(2).contains { Self.isGone($0) })
        shunt.process.signal(9)
        #expect(eventually { all.allSatisfy { Self.isGone($0) } })
    }

    @Test func `a server that ends at once is told with its last lines, and nothing of it stays`() throws {
        let port = FreePort.find()
        let command = "sleep 1000 & echo $! > stray; echo no database; exit 3"
        let shunt = try ServingShunt(["local": Self.profile(port, "", command)])
        let page = try shunt.curl("-w", "%{http_code}", "http://localhost:\(shunt.port)/").output
        #expect(page.hasSuffix("502") && page.contains("`sleep` exited with status 3") && page.contains("no database"))
        let stray = try #require(Int32(try shunt.folder.read("stray").dropLast()))
        #expect(eventually { Self.isGone(stray) })
        let result = try shunt.stop()
        #expect(result.errors.contains("exited with status 3"))
    }

    @Test func `Shunt's end is that of a server that it has started, and not of one that was there`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(
            ["local": Self.profile(port, #", "start": "serve""#)], files: ["server.py": Self.server, "open": ""])
        #expect(eventually { Self.starts(shunt).count == 1 })
        let pid = try #require(try Self.ask(shunt))
        let other = try ServingShunt(["local": Self.profile(port)], files: ["server.py": Self.server, "open": ""])
        #expect(try Self.ask(other) == pid && Self.starts(other).isEmpty)
        #expect(try shunt.stop().status == 0)
        #expect(Self.isGone(pid), "it waits for its end")
        let next = try #require(try Self.ask(other))
        #expect(Self.starts(other) == [next])
        #expect(try other.stop().status == 0)
        #expect(Self.isGone(next))
    }
}
