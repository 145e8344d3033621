import Foundation
import JSON
import TestSupport
import Testing

/// `shunt attach`: a server on a user's machine responds for a path of a gateway.
@Suite struct AttachCommandTests {
    /// A gateway with users, in front of an origin, and a server on the machine of a user.
    private struct Stage {
        let gateway: ServingShunt
        let url: String
        let ordinary: ScriptedOrigin
        let own: ScriptedOrigin
        let token: String
        /// The field of ada's device.
        let cookie: String

        init(_ more: [String] = []) throws {
            (ordinary, own) = (Self.origin("ordinary"), Self.origin("own"))
            gateway = try ServingShunt(
                ["staging": profile("http://127.0.0.1:\(ordinary.port)", kind: "staging")],
                ["--admin-listen", "127.0.0.1:0", "--admin-host", "127.0.0.1", "--admin-owner"] + more)
            let process = gateway.process
            #expect(eventually { process.errors.contains("users reach the admin interface at ") })
            let match = try #require(process.errors.firstMatch(of: /reach the admin interface at (https:\S+)/))
            url = String(match.1)
            token = String(try gateway.run("token", "new", "ada", "--may", "devices").output.dropLast())
            let file = try gateway.folder.write("token", token)
            chmod(file, 0o600)
            cookie = try gateway.run("pair", "--app", "app", "--token-file", "token").output
                .replacingOccurrences(of: "\n", with: "\r\n")
        }

        /// Responds with a name of its own and the request line.
        private static func origin(_ name: String) -> ScriptedOrigin {
            ScriptedOrigin { connection, _ in
                while let head = try? connection.readHead() {
                    let body = "\(name) \(head.prefix { $0 != "\r\n" })"
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                }
            }
        }

        func attach(_ path: String = "/cart/*", to: String? = nil, _ more: [String] = []) throws -> ChildProcess {
            try ChildProcess(
                ShuntBinary.path,
                [
                    "attach", url, "--admin-ca", "certs/ca.pem", "--route", path, "--to",
                    to ?? "http://127.0.0.1:\(own.port)",
                ] + more, directory: gateway.folder.path, environment: ["SHUNT_TOKEN": token])
        }

        func isAttached(_ process: ChildProcess) -> Bool { process.output.contains("\nShunt-Attach: ") }

        func ask(_ path: String, _ fields: String) throws -> String {
            let client = try RawConnection.connect(gateway.port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n")
            let response = try client.readToEnd()
            return response.components(separatedBy: "\r\n\r\n").last ?? ""
        }

        func stop() throws {
            try gateway.stop()
            ordinary.stop()
            own.stop()
        }
    }

    @Test func `it responds until it is ended, and what happens is told`() throws {
        let stage = try Stage(["--workers", "2"])
        let machine = try stage.attach()
        #expect(eventually { stage.isAttached(machine) }, "\(machine.errors)")
        let key = try #require(machine.output.firstMatch(of: /Shunt-Attach: [0-9a-f]{32}/).map { "\($0.0)\r\n" })
        for _ in 0..<4 {
            #expect(try stage.ask("/cart/7", stage.cookie) == "own GET /cart/7 HTTP/1.1")
            #expect(try stage.ask("/cart/7", key) == "own GET /cart/7 HTTP/1.1")
        }
        #expect(try stage.ask("/cart/7", "") == "ordinary GET /cart/7 HTTP/1.1")
        #expect(try stage.ask("/other", stage.cookie) == "ordinary GET /other HTTP/1.1")
        let status = try JSONReader.read(try stage.gateway.run("status", "--json").output)
        let entry = status["attachments"]?.array?.first
        #expect(entry?["user"]?.string == "ada" && entry?["connected"]?.bool == true, "\(status)")
        #expect(entry?["path"]?.string == "/cart/*" && entry?["to"]?.string == "http://127.0.0.1:\(stage.own.port)")
        // A second one for the same path is refused, and the first one stays.
        let second = try stage.attach().wait()
        #expect(second.status == 1 && second.errors.contains("you have attached "), "\(second)")
        #expect(try stage.ask("/cart/8", stage.cookie) == "own GET /cart/8 HTTP/1.1")
        machine.signal(SIGINT)
        let ended = try machine.wait()
        #expect(ended.status == 0 && ended.errors.contains("detached: "), "\(ended)")
        #expect(try stage.ask("/cart/9", stage.cookie) == "ordinary GET /cart/9 HTTP/1.1")
        #expect(eventually { (try? trail(stage).contains { $0 == ["attach/end", "ended in good order"] }) ?? false })
        #expect(try trail(stage).contains(["attach", "http://127.0.0.1:\(stage.own.port)"]))
        try stage.stop()
    }

    @Test func `the machine judges an https origin by its own profile`() throws {
        let stage = try Stage()
        // Shunt's own port speaks TLS with a certificate of its CA, which the system does not know.
        let origin = "https://localhost:\(stage.gateway.port)"
        try stage.gateway.folder.write(
            "Profiles/mine.json", #"{"kind": "local", "certificateAuthorities": ["../certs/ca.pem"], "routes": []}"#)
        for (profile, words) in [
            ("staging", "shunt trust explain localhost:\(stage.gateway.port) "),
            ("mine", "ordinary GET /cart/7 HTTP/1.1"),
        ] {
            let machine = try stage.attach(to: origin, ["--profile", profile])
            #expect(eventually { stage.isAttached(machine) }, "\(machine.errors)")
            let response = try stage.ask("/cart/7", stage.cookie)
            #expect(response.contains(words), "\(profile): \(response)")
            machine.signal(SIGINT)
            #expect(try machine.wait().status == 0)
        }
        let unknown = try stage.attach(to: origin, ["--profile", "none"]).wait()
        #expect(unknown.status != 0 && unknown.errors.contains("none"), "\(unknown)")
        try stage.stop()
    }

    /// Actions with what they have led to.
    private func trail(_ stage: Stage) throws -> [[String]] {
        try stage.gateway.folder.read(".shunt/audit.jsonl").split(separator: "\n").compactMap {
            let entry = try JSONReader.read(String($0))
            return entry["refused"]?.string == nil
                ? [entry["action"]?.string ?? "", entry["after"]?.string ?? ""] : nil
        }
    }

    @Test func `when the machine is gone, the ordinary origin responds, and it may come again`() throws {
        let stage = try Stage()
        let machine = try stage.attach()
        #expect(eventually { stage.isAttached(machine) }, "\(machine.errors)")
        machine.signal(SIGKILL)
        _ = try machine.wait()
        #expect(try stage.ask("/cart/1", stage.cookie) == "ordinary GET /cart/1 HTTP/1.1")
        let again = try stage.attach()
        #expect(eventually { stage.isAttached(again) }, "\(again.errors)")
        #expect(try stage.ask("/cart/2", stage.cookie) == "own GET /cart/2 HTTP/1.1")
        // With the token it ends, and does not come again.
        #expect(try stage.gateway.run("token", "revoke", "ada").status == 0)
        let ended = try again.wait()
        #expect(ended.status == 1 && ended.errors.contains("needs its token"), "\(ended)")
        #expect(try stage.ask("/cart/3", stage.cookie) == "ordinary GET /cart/3 HTTP/1.1")
        try stage.stop()
    }

    @Test func `when the gateway is gone, it connects again until it is ended`() throws {
        let stage = try Stage()
        let machine = try stage.attach()
        #expect(eventually { stage.isAttached(machine) }, "\(machine.errors)")
        stage.gateway.process.signal(SIGKILL)
        #expect(eventually { machine.errors.contains("Connecting again in 2 s") }, "\(machine.errors)")
        machine.signal(SIGTERM)
        #expect(try machine.wait().status == 0)
        stage.ordinary.stop()
        stage.own.stop()
    }

    @Test(arguments: [
        (["--to", "http://localhost:1"], "lacks --route"), (["--route", "/a"], "lacks --route"),
        (["--route", "a", "--to", "http://localhost:1"], "does not start with `/`"),
        (["--route", "/a", "--to", "localhost:1"], "has no scheme"),
        (["--route", "/a", "--to", "http://u:p@localhost:1"], "has a user name"),
        (["http://gateway.test", "--route", "/a", "--to", "http://localhost:1"], "no URL of an admin interface"),
        (["x", "--admin", "https://gateway.test", "--route", "/a", "--to", "http://localhost:1"], "names a gateway"),
        (["--list", "--to", "http://localhost:1"], "exclude each other"),
    ])
    func `a wrong command line is told of`(arguments: [String], words: String) async {
        let run = await CapturedRun.run(["attach"] + arguments)
        #expect(run.status == 64 && run.errors.contains(words) && !run.errors.contains("u:p"), "\(run)")
    }
}
