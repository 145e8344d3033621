import Foundation
import JSON
import TestSupport
import Testing

/// `pair`, `devices`, `use --device`, `unlock`, `lock`, `status --probe`, as people type them.
@Suite struct DeviceCommandTests {
    private static let profiles = [
        "local": #"{"kind": "local", "routes": []}"#, "staging": #"{"kind": "staging", "routes": []}"#,
        "production": #"{"kind": "production", "routes": []}"#,
    ]

    @Test func `a code for this machine is shown, and phones are told how to get in`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let json = try JSONReader.read(try shunt.run("pair", "--profile", "staging", "--json").output)
        let code = try #require(json["code"]?.string)
        #expect(json["localURL"]?.string == "http://localhost:\(shunt.pagesPort)/pair?code=\(code)")
        #expect(json["urls"]?.array?.isEmpty == true && json["profile"]?.string == "staging")
        let text = try shunt.run("pair")
        #expect(text.status == 0 && text.output.contains("shunt serve --host 0.0.0.0"), "\(text)")
        #expect(text.output.contains("http://localhost:\(shunt.pagesPort)/pair?code="))
        #expect(
            try shunt.run("status").output.contains("  devices      choose at http://localhost:\(shunt.pagesPort)/\n"))
        let wrong = try shunt.run("pair", "--profile", "stagign")
        #expect(wrong.status == 1 && wrong.errors.contains("Did you mean “staging”?"), "\(wrong)")
        try shunt.stop()
    }

    @Test func `without pages nothing is paired`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--no-pages"])
        let refused = try shunt.run("pair")
        #expect(refused.status == 1 && refused.errors.contains("--no-pages"), "\(refused)")
        try shunt.stop()
    }

    @Test func `an address gets a profile, is listed, survives a restart, and is let go`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let used = try shunt.run("use", "staging", "--device", "192.168.1.7")
        #expect(used.output == "192.168.1.7 goes by profile staging; before it went with the active one.\n", "\(used)")
        let moved = try shunt.run("use", "local", "--device", "192.168.1.7")
        #expect(moved.output == "192.168.1.7 goes by profile local; before it was staging.\n", "\(moved)")
        #expect(try shunt.run("use", "staging", "--device", "fd00::7").status == 0)
        #expect(try JSONReader.read(try shunt.run("status", "--json").output)["active"]?.string == "local")
        let list = try shunt.run("devices").output
        #expect(list.contains("192.168.1.7  local    192.168.1.7  by address"), "\(list)")
        let nobody = try shunt.run("use", "local", "--device", "phone")
        #expect(nobody.status == 1 && nobody.errors.contains("no device is called “phone”"), "\(nobody)")
        let wrong = try shunt.run("use", "stagign", "--device", "192.168.1.7")
        #expect(wrong.status == 1 && wrong.errors.contains("Did you mean “staging”?"), "\(wrong)")
        try shunt.stop()
        let again = try ServingShunt(
            Self.profiles, files: [".shunt/devices.json": try shunt.folder.read(".shunt/devices.json")])
        let json = try JSONReader.read(try again.run("devices", "--json").output)
        #expect(
            Set(json["devices"]?.array?.compactMap { $0["address"]?.string } ?? []) == ["192.168.1.7", "fd00::7"])
        #expect(try again.run("use", "--device", "192.168.1.7", "--active").output.contains("goes with the active"))
        #expect(try again.run("devices", "forget", "fd00::7").output == "Forgotten: fd00::7.\n")
        #expect(try again.run("devices").output.hasPrefix("No device is known"))
        #expect(try again.run("devices", "forget", "all").output == "There was none.\n")
        let log = try again.stop().errors
        #expect(log.contains("shunt: device 192.168.1.7 is forgotten\n"), "\(log)")
    }

    @Test(arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    func `this machine is one device, whichever family its programs use`(address: String) throws {
        let shunt = try ServingShunt([
            "local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "local"}}]}"#,
            "staging": #"{"kind": "staging", "routes": [{"path": "/*", "mock": {"text": "staging"}}]}"#,
        ])
        func responses() throws -> [String] {
            try ["127.0.0.1", "[::1]"].map { try shunt.curl("http://\($0):\(shunt.port)/").output }
        }
        #expect(try responses() == ["local", "local"])
        #expect(try shunt.run("use", "staging", "--device", address).status == 0)
        #expect(try responses() == ["staging", "staging"])
        for other in ["::1", "127.0.0.1"] {
            #expect(try shunt.run("use", "local", "--device", other).output.contains("before it was staging"))
            #expect(try responses() == ["local", "local"])
            #expect(try shunt.run("use", "staging", "--device", other).status == 0)
        }
        // Another address of this machine is another client.
        #expect(try shunt.run("use", "local", "--device", "127.0.0.2").status == 0)
        #expect(try responses() == ["staging", "staging"])
        #expect(try shunt.run("use", "--device", "::1", "--active").status == 0)
        #expect(try responses() == ["local", "local"])
        #expect(try JSONReader.read(shunt.run("devices", "--json").output)["devices"]?.array?.count == 1)
        try shunt.stop()
    }

    @Test func `unlocking is shown and logged, and ends by itself or by hand`() throws {
        let shunt = try ServingShunt(Self.profiles, ["--log", "json"])
        let unlocked = try shunt.run("unlock", "production", "--for", "10m", "--reason", "order 4711")
        #expect(unlocked.output.hasPrefix("Profile production may be written to for 10 min 0 s, until "), "\(unlocked)")
        let status = try shunt.run("status").output
        #expect(status.contains("  unlocked     production until ") && status.contains(": order 4711"), "\(status)")
        let json = try JSONReader.read(try shunt.run("status", "--json").output)["unlocked"]?.array?.first
        #expect((1...600).contains(json?["seconds"]?.number?.int64 ?? 0))
        #expect(try shunt.run("lock", "production").output == "Profile production is locked again.\n")
        #expect(try shunt.run("lock", "production").output == "Profile production was not unlocked.\n")
        #expect(try shunt.run("unlock", "production", "--for", "500ms", "--reason", "short").status == 0)
        let local = try shunt.run("unlock", "local", "--for", "1m", "--reason", "x")
        #expect(local.status == 1 && local.errors.contains("is of kind local"), "\(local)")
        #expect(eventually { shunt.process.errors.contains("its time is over") })
        let lines = try shunt.stop().errors.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let events = lines.filter { $0["reason"] != nil }
        #expect(events.map { $0["event"]?.string } == ["unlocked", "locked", "unlocked", "locked"])
        #expect(events.map { $0["seconds"]?.number?.int64 } == [600, 600, 1, 1])
        #expect(events.map { $0["reason"]?.string } == ["order 4711", "order 4711", "short", "short"])
    }

    @Test func `what a command reported as failed does not happen later`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let record = try JSONReader.read(try shunt.folder.read(".shunt/\(shunt.port).json"))
        let token = try #require(record["token"]?.string)
        let port = try #require(record["adminPort"]?.number?.int64.map { UInt16($0) })
        // As with a listener that is held: the system takes connections and bytes, and nobody reads them.
        shunt.process.signal(SIGSTOP)
        let commands = [["use", "staging"], ["use", "staging", "--device", "10.0.0.9"]].map { arguments in
            try? ChildProcess(ShuntBinary.path, arguments, directory: shunt.folder.path)
        }
        let unlock = ["unlock", "production", "--for", "10m", "--reason", "x"]
        let failed = try ChildProcess.run(ShuntBinary.path, unlock, directory: shunt.folder.path)
        #expect(failed.status == 1 && failed.errors.contains("did not respond within 5 s"), "\(failed)")
        for command in commands { #expect(try command?.wait().status == 1) }
        // One that names no time, and leaves.
        let body = #"{"profile": "production", "seconds": 60, "reason": "x"}"#
        for more in ["", "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"] {
            let client = try RawConnection.connect(port)
            try client.send(
                "POST /v1/unlock HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n\(body)\(more)")
            client.close()
        }
        shunt.process.signal(SIGCONT)
        // It is asked behind all of those.
        let status = try JSONReader.read(try shunt.run("status", "--json").output)
        #expect(status["unlocked"]?.array?.isEmpty == true && status["active"]?.string == "local", "\(status)")
        #expect(status["devices"]?.number?.int64 == 0)
        #expect(try shunt.run("use", "staging").status == 0)
        let log = try shunt.stop().errors
        #expect(!log.contains("unlocked"), "\(log)")
    }

    @Test(arguments: [true, false])
    func `a probe names what is there and what to do where it is not`(isRunning: Bool) throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        defer { origin.stop() }
        let closed = ScriptedOrigin.closedPort()
        let up = ["local": profile("http://127.0.0.1:\(origin.port)")]
        let both = up.merging(["staging": profile("https://127.0.0.1:\(closed)", kind: "staging")]) { $1 }
        for (profiles, status) in [(up, Int32(0)), (both, 1)] {
            let shunt = try ServingShunt(profiles)
            if !isRunning { try shunt.stop() }
            let text = try shunt.run("status", "--probe")
            #expect(text.status == status, "\(text)")
            #expect(text.output.contains(/http:\/\/127\.0\.0\.1:\d+ +local .* 204  no TLS\n/), "\(text)")
            #expect(text.output.contains("listening on port \(closed)?") == (status == 1))
            let json = try JSONReader.read(try shunt.run("status", "--probe", "--json").output)
            #expect(
                json["origins"]?.array?.map { $0["failure"]?["stage"]?.string }
                    == (status == 1 ? [nil, "connect"] : [nil]))
            if isRunning { try shunt.stop() }
        }
    }

    private static let wrongRequests = [
        ("pair", "{\"profile\": 1}", "400"), ("pair", "[]", "400"), ("pair", "{", "400"),
        ("pair", "{\"profile\": \"none\"}", "404"), ("use", "{\"device\": 7}", "400"), ("unlock", "{}", "400"),
        ("unlock", #"{"profile": "production", "seconds": 1.5, "reason": "x"}"#, "400"),
        ("unlock", #"{"profile": "production", "seconds": 999999999999, "reason": "x"}"#, "400"),
        ("unlock", #"{"profile": "production", "seconds": 10, "reason": " "}"#, "400"),
        ("unlock", #"{"profile": "local", "seconds": 10, "reason": "x"}"#, "409"),
        ("unlock", #"{"profile": "none", "seconds": 10, "reason": "x"}"#, "404"),
        ("lock", #"{"profile": "none"}"#, "404"), ("devices/forget", "{}", "400"),
        ("devices/forget", #"{"device": "nobody"}"#, "404"), ("pair", "", "200"),
        ("unlock", #"{"profile": "production", "seconds": 10, "reason": "x"}"#, "200"),
    ]

    @Test func `the admin interface says what is wrong with a request`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let record = try JSONReader.read(try shunt.folder.read(".shunt/\(shunt.port).json"))
        let token = try #require(record["token"]?.string)
        let port = try #require(record["adminPort"]?.number?.int64.map { UInt16($0) })
        func ask(_ path: String, _ body: String, _ fields: String...) throws -> String {
            let connection = try RawConnection.connect(port)
            defer { connection.close() }
            let lines = (["Host: 127.0.0.1:\(port)", "Content-Length: \(body.utf8.count)"] + fields).map { $0 + "\r\n" }
            try connection.send("POST /v1/\(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)")
            return String(try connection.readHead().split(separator: " ")[1])
        }
        let (authorization, type) = ("Authorization: Bearer \(token)", "Content-Type: application/json")
        for (path, body, status) in Self.wrongRequests {
            #expect(try ask(path, body, authorization, type) == status, "\(path) \(body)")
            // Behind the same gate as everything else.
            #expect(try ask(path, body, type) == "401", "\(path)")
            #expect(try ask(path, body, authorization, "Content-Type: text/plain") == "415", "\(path)")
            #expect(try ask(path, body, authorization, "Origin: https://evil.test") == "403", "\(path)")
        }
        try shunt.stop()
    }
}
