import Foundation
import JSON
import TestSupport
import Testing

/// Starting, changing and ending while traffic flows.
@Suite struct LifetimeTests {
    private static func named(_ name: String) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while true {
                _ = try connection.readHead()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(name.utf8.count)\r\n\r\n\(name)")
            }
        }
    }

    private func ask(_ shunt: ServingShunt) throws -> String {
        try shunt.curl("http://localhost:\(shunt.port)/").output
    }

    @Test func `a changed profile counts at once; a broken one leaves the old in place and says where it is broken`()
        throws
    {
        let one = Self.named("one")
        let two = Self.named("two")
        defer {
            one.stop()
            two.stop()
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(one.port)")])
        #expect(try ask(shunt) == "one")
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:\(two.port)"))
        #expect(try eventually { try ask(shunt) == "two" })
        try shunt.folder.write("Profiles/local.json", "{\n  \"kind\": \"local\",\n  \"routes\": [{ \"orgin\": 1 }]\n}")
        #expect(eventually { shunt.process.errors.contains("Profiles/local.json:3:16: unknown key \"orgin\"") })
        #expect(shunt.process.errors.contains("did you mean \"origin\"?"))
        #expect(try ask(shunt) == "two")
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:\(one.port)"))
        #expect(try eventually { try ask(shunt) == "one" })
        try shunt.stop()
    }

    @Test func `use and status from another terminal, with the nearest name for a misspelt one`() throws {
        let one = Self.named("one")
        let two = Self.named("two")
        defer {
            one.stop()
            two.stop()
        }
        let shunt = try ServingShunt([
            "local": profile("http://127.0.0.1:\(one.port)"),
            "staging": profile("http://127.0.0.1:\(two.port)", kind: "staging"),
        ])
        #expect(try ask(shunt) == "one")
        let used = try shunt.run("use", "staging")
        #expect(used.status == 0, "\(used)")
        #expect(try ask(shunt) == "two")
        let status = try JSONReader.read(try shunt.run("status", "--json").output)
        #expect(status["profile"]?.string == "staging" || status["active"]?.string == "staging")
        // A profile that is not there yet may be in a file that could not be read.
        try shunt.folder.write("Profiles/broken.json", "{ \"kind\": ")
        for (name, status) in [("staging", Int32(0)), ("qa", 1)] {
            let result = try shunt.run("use", name)
            #expect(result.status == status, "\(result)")
            #expect(
                result.errors.contains("the files have errors") && result.errors.contains("Profiles/broken.json:1:"))
        }
        try FileManager.default.removeItem(atPath: shunt.folder.path + "/Profiles/broken.json")
        let wrong = try shunt.run("use", "stagign")
        #expect(wrong.status == 1 && wrong.errors.contains("staging"), "\(wrong)")
        #expect(try ask(shunt) == "two")
        try shunt.stop()
        let gone = try shunt.run("status")
        #expect(gone.status == 1 && gone.errors.contains("no Shunt runs"))
    }

    @Test func `SIGTERM ends it also while somebody asks for its status all the time`() async throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": []}"#], ["--workers", "4"])
        let record = try JSONReader.read(try shunt.folder.read(".shunt/\(shunt.port).json"))
        let token = try #require(record["token"]?.string)
        let admin = try #require(record["adminPort"]?.number?.int64)
        let asked = Tally()
        for _ in 0..<8 {
            startThread {
                guard let connection = try? RawConnection.connect(UInt16(admin)) else { return }
                let request =
                    "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:\(admin)\r\nAuthorization: Bearer \(token)\r\n\r\n"
                while (try? connection.send(request)) != nil, (try? connection.read(until: "}\n")) != nil {
                    asked.count("status")
                }
            }
        }
        let result = try await blocking {
            #expect(eventually { asked["status"] >= 100 })
            return try shunt.stop()
        }
        #expect(result.status == 0)
    }

    @Test(arguments: [([15], 0), ([15, 2], 130)] as [([Int32], Int32)])
    func `signals end it while the reader of its log stands still`(signals: [Int32], status: Int32) async throws {
        let folder = try TemporaryFolder()
        let log = folder.path + "/log"
        #expect(mkfifo(log, 0o600) == 0)
        let reader = open(log, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let script = try folder.write("shunt", "#!/bin/sh\nexec '\(ShuntBinary.path)' \"$@\" 2> '\(log)'\n")
        chmod(script, 0o700)
        let mocks = """
            {"kind": "local", "routes": [{"path": "/late", "mock": {"text": "x", "delay": "10m"}},
            {"path": "/*", "mock": {"text": "x"}}]}
            """
        let shunt = try ServingShunt(["local": mocks], ["--log", "json", "--no-store"], program: script)
        let client = try RawConnection.connect(shunt.port)
        for _ in 0..<1500 {
            try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.read(until: "\r\n\r\nx")
        }
        if signals.count > 1 { try client.send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n") }
        shunt.process.signal(signals[0])
        if signals.count > 1 {
            #expect(eventually { (try? RawConnection.connect(shunt.port)) == nil })
            shunt.process.signal(signals[1])
        }
        #expect(try shunt.process.wait().status == status)
    }

    @Test func `SIGTERM lets what is under way finish, and exits 0`() async throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
            _ = try connection.read(until: "never sent")
        }
        let finishing = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
            guard head.contains("POST") else { return }
            _ = try connection.read(until: "go")
            try connection.send("done")
        }
        defer {
            origin.stop()
            finishing.stop()
        }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(finishing.port)")], ["--drain-time", "20s"])
        let port = shunt.port
        let client = try RawConnection.connect(port)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
        _ = try client.read(until: "half")
        shunt.process.signal(15)
        #expect(eventually { (try? RawConnection.connect(port)) == nil })
        try client.send("go")
        #expect(try client.read(until: "done") == "done")
        let result = try shunt.process.wait()
        #expect(result.status == 0)
    }

    @Test func `a second signal ends at once`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--drain-time", "5m"])
        let port = shunt.port
        let client = try RawConnection.connect(port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.read(until: "half")
        shunt.process.signal(15)
        #expect(eventually { (try? RawConnection.connect(port)) == nil })
        // One that comes within a second does not count.
        #expect(
            eventually {
                shunt.process.signal(15)
                return !shunt.process.isRunning
            })
        #expect(try shunt.process.wait().status == 143)
    }

    @Test func `two SIGTERMs within a second let exchanges finish`() throws {
        let finish = DispatchSemaphore(value: 0)
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
            finish.wait()
            try connection.send("done")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--drain-time", "5m"])
        let port = shunt.port
        let client = try RawConnection.connect(port)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.read(until: "half")
        let start = ContinuousClock.now
        shunt.process.signal(15)
        #expect(eventually { (try? RawConnection.connect(port)) == nil })
        shunt.process.signal(15)
        let isWithinTime = start.duration(to: .now) < .seconds(1)
        finish.signal()
        let rest = try client.readToEnd()
        // A machine that took longer to do this has sent a later one.
        if isWithinTime {
            #expect(rest == "done")
            #expect(try shunt.process.wait().status == 0)
        }
    }

    @Test func `a port in use is named together with who holds it`() throws {
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:1")])
        let second = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "\(shunt.port)"], directory: shunt.folder.path)
        #expect(second.status == 1)
        #expect(second.errors.contains("\(shunt.port)") && second.errors.contains("--port 0"))
        #if os(Linux)
        #expect(second.errors.contains("\(shunt.process.pid)"), "\(second.errors)")
        #endif
        try shunt.stop()
    }

    @Test(arguments: [
        // A page in a browser that was lured to the admin's address by DNS.
        ("GET /v1/status HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer TOKEN\r\n", "403"),
        (
            "GET /v1/status HTTP/1.1\r\nHost: ADMIN\r\nOrigin: https://evil.test\r\nAuthorization: Bearer TOKEN\r\n",
            "403"
        ),
        ("GET /v1/status HTTP/1.1\r\nHost: ADMIN\r\n", "401"),
        ("GET /v1/status HTTP/1.1\r\nHost: ADMIN\r\nAuthorization: Bearer 0000\r\n", "401"),
        ("GET /v1/status HTTP/1.1\r\nHost: ADMIN\r\nAuthorization: Bearer TOKEN\r\n", "200"),
        ("GET /v1/nothing HTTP/1.1\r\nHost: ADMIN\r\nAuthorization: Bearer TOKEN\r\n", "404"),
    ])
    func `the admin interface responds only who has the token and comes the right way`(
        request: String, status: String
    ) throws {
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:1")])
        let record = try #require(
            try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt").first {
                $0.wholeMatch(of: #/[0-9]+\.json/#) != nil
            })
        let file = shunt.folder.path + "/.shunt/" + record
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let token = try #require(try JSONReader.read(try shunt.folder.read(".shunt/" + record))["token"]?.string)
        let address = String(shunt.admin.split(separator: "/").last ?? "")
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        let client = try RawConnection.connect(port)
        try client.send(
            request.replacingOccurrences(of: "TOKEN", with: token).replacingOccurrences(of: "ADMIN", with: address)
                + "Connection: close\r\n\r\n")
        #expect(try client.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
        try shunt.stop()
    }
}
