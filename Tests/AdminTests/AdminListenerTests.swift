import Admin
import Engine
import Reactor
import TestSupport
import Testing

/// The admin interface's listener, beside those who only sit on it, and clients that have given up.
@Suite struct AdminListenerTests {
    private static let host = "POST /v1/use HTTP/1.1\r\nHost: 127.0.0.1\r\n"

    @Test(arguments: [
        "", "GET /v1/sta", host + "Content-Length: 9\r\n\r\n{", host + "Transfer-Encoding: chunked\r\n\r\n1\r\n",
        // One that was answered 401, and may send another request.
        "GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        // HTTP/2, with its settings and nothing more, and with the beginning of a head.
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0\0\0\u{1}\u{1}\0\0\0\0\u{1}\u{2}",
    ])
    func `connections that nothing is done for give way to a command`(bytes: String) async throws {
        let admin = try await AskedAdmin()
        let (port, path) = (admin.server.port, admin.folder.path)
        let (active, first) = try await blocking {
            let follower = try admin.connect("GET", "/v1/traffic/events")
            let head = try follower.read(until: "\r\n\r\n")
            // Six times as many as there may be.
            let holders = try (0..<384).map { _ in
                let connection = try RawConnection.connect(port)
                try connection.send(bytes)
                return connection
            }
            let client = AdminClient(
                AdminRecord(
                    port: 1, pid: 1, urls: [], adminPort: port, token: "secret", profilesDirectory: path))
            let active = try client.ask(API.status).active
            #expect(head.hasPrefix("HTTP/1.1 200 "))
            // Those who are answered stay, however long they have been there.
            admin.offer(1, AskedAdmin.exchange("/one"))
            let first = try follower.read(until: "event: exchange")
            withExtendedLifetime(holders) {}
            return (active, first)
        }
        #expect(active == "local" && first.hasSuffix("event: exchange"))
        await admin.stop()
    }

    @Test func `a request that nobody waits for any more is not carried out`() async throws {
        let admin = try await AskedAdmin()
        let unlock = #"{"profile": "production", "seconds": 60, "reason": "x"}"#
        for (deadline, status) in [
            ("Shunt-Deadline: 1\r\n", 503), ("Shunt-Deadline: \(Instant.now())\r\n", 503),
            ("Shunt-Deadline: \(Instant.never)\r\nShunt-Deadline: 1\r\n", 503), ("Shunt-Deadline: soon\r\n", 400),
            ("Shunt-Deadline: -1\r\n", 400), ("Shunt-Deadline: \r\n", 400),
            ("Shunt-Deadline: \(Instant.now().after(60 * Limits.second))\r\n", 200), ("", 200),
        ] {
            let fields = deadline + "Content-Type: application/json\r\n"
            for (path, body) in [
                ("unlock", unlock), ("use", #"{"profile": "staging"}"#), ("pair", ""),
                ("use", #"{"profile": "staging", "device": "10.0.0.9"}"#),
            ] {
                let response = try await admin.ask("POST", "/v1/\(path)", fields, body: body)
                // Without pages nothing is paired.
                #expect(response.status == (path == "pair" && status == 200 ? 409 : status), "\(deadline) \(path)")
            }
            #expect(admin.proxy.locks.isUnlocked("production") == (status == 200), "\(deadline)")
            #expect(admin.proxy.profiles?.active == (status == 200 ? "staging" : "local"), "\(deadline)")
            #expect(admin.proxy.devices.list.count == (status == 200 ? 1 : 0), "\(deadline)")
            let removed = try await admin.ask("DELETE", "/v1/traffic", deadline)
            #expect(removed.status == status)
            // What changes nothing may come late.
            #expect(try await admin.ask("GET", "/v1/status", deadline).status == 200)
            _ = admin.proxy.locks.lock("production")
            try admin.proxy.use("local")
            _ = admin.proxy.devices.forgetAll()
        }
        await admin.stop()
    }

    @Test func `HEAD says what GET would, without the body`() async throws {
        let admin = try await AskedAdmin()
        for target in [
            "/openapi.json", "/v1/status", "/v1/devices", "/v1/traffic", "/v1/traffic/stats", "/v1/traffic/7",
        ] {
            let (got, head) = (try await admin.ask("GET", target), try await admin.ask("HEAD", target))
            #expect(head.status == got.status && head.body.isEmpty, "\(target)")
            func lines(_ head: String) -> [Substring] { head.split(separator: "\r\n").filter { !$0.hasPrefix("Date") } }
            #expect(lines(head.head) == lines(got.head), "\(target)")
        }
        for target in ["/v1/traffic/export", "/v1/traffic/events"] {
            let text = try await blocking {
                try admin.connect("HEAD", target, "Connection: close\r\n").readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n"), "\(text)")
            #expect(text.split(separator: "\r\n\r\n").count == 1)
        }
        let refused = try await admin.ask("HEAD", "/v1/use")
        #expect(refused.status == 405 && refused.head.contains("Allow: POST"))
        let wrong = try await admin.ask("POST", "/v1/status", "Content-Type: application/json\r\n", body: "{}")
        #expect(wrong.status == 405 && wrong.head.contains("Allow: GET, HEAD"))
        let strange = try await blocking {
            let client = try RawConnection.connect(admin.server.port)
            try client.send("HEAD /v1/status HTTP/1.1\r\nHost: \(admin.server.address)\r\nConnection: close\r\n\r\n")
            return try client.readToEnd()
        }
        #expect(strange.hasPrefix("HTTP/1.1 401 "))
        await admin.stop()
    }

    @Test func `a Shunt that still reads its profiles is busy, and not lost`() async throws {
        let held = ScriptedOrigin { connection, _ in _ = try connection.readToEnd() }
        defer { held.stop() }
        let record = AdminRecord(
            port: 1, pid: 1, urls: [], adminPort: held.port, token: "secret", profilesDirectory: "/")
        let failure = try await blocking { () throws -> AdminClientFailure? in
            do throws(AdminClientFailure) {
                _ = try AdminClient(record).ask(API.reload, seconds: 1)
                return nil
            } catch {
                return error
            }
        }
        guard case .stillReading(held.port, 1)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
