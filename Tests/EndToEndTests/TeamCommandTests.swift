import Foundation
import JSON
import TestSupport
import Testing

/// A gateway of several people: `token`, `audit`, `use --mine`, `serve --admin-listen`, `--admin`, limits per client.
@Suite struct TeamCommandTests {
    private static func mock(_ kind: String) -> String {
        #"{"kind": "\#(kind)", "routes": [{"path": "/*", "mock": {"text": "\#(kind)"}}]}"#
    }
    private static let profiles = [
        "local": mock("local"), "staging": mock("staging"), "production": mock("production"),
    ]

    /// Runs a command with a user's token: in the environment where a gateway is named, else in a file.
    private func run(
        _ shunt: ServingShunt, _ token: String, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        if arguments.contains("--admin") || environment["SHUNT_ADMIN"] != nil {
            return try ChildProcess.run(
                ShuntBinary.path, arguments, directory: shunt.folder.path,
                environment: environment.merging(["SHUNT_TOKEN": token]) { first, _ in first })
        }
        let file = try shunt.folder.write("token", token)
        chmod(file, 0o600)
        return try ChildProcess.run(
            ShuntBinary.path, arguments + ["--token-file", file], directory: shunt.folder.path,
            environment: environment)
    }

    @Test func `the token of the environment goes to a Shunt that was named, and to no other`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let ada = try token(shunt, "ada", "--may", "status")
        func use(_ variables: [String: String]) throws -> ChildProcess.Result {
            try ChildProcess.run(
                ShuntBinary.path, ["use", "staging"], directory: shunt.folder.path,
                environment: variables.merging(["SHUNT_TOKEN": ada]) { first, _ in first })
        }
        // The file in the folder names this Shunt: the owner's token counts, and ada's is not sent.
        #expect(try use([:]).status == 0)
        let named = try use(["SHUNT_ADMIN": shunt.admin])
        #expect(named.status == 1 && named.errors.contains("the token lacks the permission"), "\(named)")
        try shunt.stop()
    }

    private func token(_ shunt: ServingShunt, _ arguments: String...) throws -> String {
        let result = try ChildProcess.run(
            ShuntBinary.path, ["token", "new"] + arguments, directory: shunt.folder.path)
        #expect(result.status == 0, "\(result)")
        return String(result.output.dropLast())
    }

    /// A gateway that other machines could reach, and where it is.
    private func gateway(_ more: [String] = []) throws -> (ServingShunt, url: String) {
        let shunt = try ServingShunt(
            Self.profiles,
            [
                "--admin-listen", "127.0.0.1:0", "--admin-host", "127.0.0.1", "--admin-host", "Gateway.test",
                "--admin-owner",
            ]
                + more)
        let found = eventually { shunt.process.errors.contains("users reach the admin interface at ") }
        #expect(found, "\(shunt.process.errors)")
        let match = try #require(shunt.process.errors.firstMatch(of: /reach the admin interface at (https:\S+)/))
        return (shunt, String(match.1))
    }

    @Test func `a token is shown once, works for commands, and can be revoked`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let ada = try token(shunt, "ada", "--may", "use,audit", "--for", "30d")
        #expect(ada.firstMatch(of: /^shunt_[0-9a-f]{12}_[0-9a-f]{64}$/) != nil, "\(ada)")
        let used = try run(shunt, ada, "use", "staging")
        #expect(used.output.hasPrefix("Profile staging is active on port \(shunt.port)"), "\(used)")
        let refused = try run(shunt, ada, "unlock", "production", "--for", "1m", "--reason", "x")
        #expect(refused.status == 1 && refused.errors.contains("the token lacks the permission “unlock”"), "\(refused)")
        #expect(refused.errors.contains("shunt token new ada --may use,unlock,audit"), "\(refused)")
        let list = try shunt.run("token", "list").output
        #expect(list.contains("ada") && list.contains("use,audit") && !list.contains(ada.suffix(64)), "\(list)")
        let trail = try run(shunt, ada, "audit")
        #expect(trail.output.contains("use") && trail.output.contains("local -> staging"), "\(trail)")
        #expect(trail.output.contains("REFUSED: ada may not do this"), "\(trail)")
        #expect(try shunt.run("token", "revoke", "ada").status == 0)
        let gone = try run(shunt, ada, "use", "local")
        #expect(gone.status == 1 && gone.errors.contains("needs its token"), "\(gone)")
        let json = try JSONReader.read(try shunt.run("audit", "--json", "--user", "owner").output)
        #expect(json["entries"]?.array?.compactMap { $0["action"]?.string } == ["tokens", "tokens/revoke"])
        let since = try shunt.run("audit", "--since", "2100-01-01")
        #expect(since.output == "Nothing was changed.\n", "\(since)")
        for wrong in [
            ["new"], ["new", "Ada"], ["new", "ada", "--may", "root"], ["new", "ada", "--until", "2001-01-01"],
            ["new", "ada", "--for", "x"], ["new", "ada", "--for", "1h", "--until", "2100-01-01"], ["revoke", "zoe"],
            ["x"],
        ] {
            let result = try ChildProcess.run(ShuntBinary.path, ["token"] + wrong, directory: shunt.folder.path)
            #expect(result.status != 0 && result.output.isEmpty, "\(wrong) \(result)")
        }
        try shunt.stop()
    }

    @Test func `processes that make tokens at once lose none`() throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.mock("local"))
        let makers = try (0..<12).map { number in
            try ChildProcess(ShuntBinary.path, ["token", "new", "user\(number)"], directory: folder.path)
        }
        for maker in makers { #expect(try maker.wait().status == 0) }
        let json = try JSONReader.read(
            try ChildProcess.run(ShuntBinary.path, ["token", "list", "--json"], directory: folder.path).output)
        #expect(
            Set(json["tokens"]?.array?.compactMap { $0["user"]?.string } ?? []) == Set((0..<12).map { "user\($0)" }))
        let trail = try folder.read(".shunt/audit.jsonl").split(separator: "\n")
        #expect(trail.count == 12 && trail.allSatisfy { (try? JSONReader.read(String($0))) != nil })
    }

    @Test func `a token's file must be its user's alone`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let ada = try token(shunt, "ada", "--may", "use")
        let path = try shunt.folder.write("token", ada + "\n")
        chmod(path, 0o644)
        let open = try shunt.run("use", "staging", "--token-file", "token")
        #expect(open.status == 1 && open.errors.contains("chmod 600"), "\(open)")
        chmod(path, 0o600)
        #expect(try shunt.run("use", "staging", "--token-file", "token").status == 0)
        try shunt.stop()
    }

    @Test func `each user's apps go by the user's profile, and nobody else is taken for one`() throws {
        let shunt = try ServingShunt(Self.profiles)
        let (ada, bob) = (try token(shunt, "ada", "--may", "devices"), try token(shunt, "bob", "--may", "use,devices"))
        func cookie(_ token: String) throws -> String {
            let line = try run(shunt, token, "pair", "--app", "app").output
            #expect(line.hasPrefix("Cookie: shunt-device="), "\(line)")
            return String(line.dropLast())
        }
        let (hers, his) = (try cookie(ada), try cookie(bob))
        func response(_ fields: String...) throws -> String {
            try shunt.curl(["http://127.0.0.1:\(shunt.port)/"] + fields.flatMap { ["-H", $0] }).output
        }
        #expect(try response(hers) == "local")
        let chosen = try run(shunt, ada, "use", "staging", "--mine")
        #expect(chosen.output == "ada's devices go by profile staging; before it was the active one.\n", "\(chosen)")
        #expect(try response(hers) == "staging" && response(his) == "local" && response() == "local")
        let guess = "Cookie: shunt-device=" + String(repeating: "0", count: 32)
        for fields in [[guess], ["Shunt-User: ada"], ["Cookie: shunt-user=ada"], [hers.uppercased()], [guess, his]] {
            #expect(
                try shunt.curl(["http://127.0.0.1:\(shunt.port)/"] + fields.flatMap { ["-H", $0] }).output == "local")
        }
        // Her own device's profile comes first; bob may not set it.
        #expect(try run(shunt, bob, "use", "local", "--user", "ada").errors.contains("“admin”"))
        #expect(try run(shunt, ada, "use", "local", "--mine").status == 0)
        #expect(try response(hers) == "local")
        #expect(try shunt.run("use", "staging", "--user", "ada").status == 0)
        let list = try shunt.run("devices").output
        #expect(list.contains("(the user's)") && list.contains("ada's devices go by profile staging."), "\(list)")
        #expect(try response(hers) == "staging")
        try shunt.stop()
        // It is so after a restart, and ends with the token.
        let again = try ServingShunt(
            Self.profiles, files: [".shunt/devices.json": try shunt.folder.read(".shunt/devices.json")])
        #expect(eventually { (try? again.run("devices").output.hasPrefix("No device is known")) ?? false })
        try again.stop()
    }

    @Test func `from other machines it takes TLS, a name and a token`() throws {
        let (shunt, url) = try gateway()
        let ada = try token(shunt, "ada", "--may", "use,logs")
        let port = try #require(url.split(separator: ":").last)
        func ask(_ arguments: String...) throws -> String {
            try shunt.curl(["-s", "-o", "body", "-w", "%{http_code}"] + arguments).output
        }
        let bearer = ["-H", "Authorization: Bearer \(ada)"]
        #expect(try ask(bearer[0], bearer[1], url + "/v1/status") == "200")
        let named = ["--resolve", "gateway.test:\(port):127.0.0.1", "--resolve", "evil.test:\(port):127.0.0.1"]
        #expect(try shunt.curl(named + bearer + ["-f", "https://gateway.test:\(port)/v1/status"]).status == 0)
        // A name that was rebound to the gateway's address, and pages of others.
        #expect(try ask(named[2], named[3], bearer[0], bearer[1], "https://evil.test:\(port)/v1/status") == "403")
        #expect(try ask(bearer[0], bearer[1], "-H", "Origin: https://evil.test", url + "/v1/status") == "403")
        #expect(try ask(bearer[0], bearer[1], "-H", "Origin: http://127.0.0.1:\(port)", url + "/v1/status") == "403")
        #expect(try ask(bearer[0], bearer[1], "-H", "Origin: \(url)", url + "/v1/status") == "200")
        #expect(try ask(url + "/v1/status") == "401")
        // In the clear nothing is given, and said what to do.
        #expect(try ask(bearer[0], bearer[1], "http://127.0.0.1:\(port)/v1/status") == "403")
        #expect(try shunt.folder.read("body").contains("by HTTPS only"))
        #expect(try ask(url + "/v1/status?token=\(ada)") == "400")
        // The listener of this machine stays as it is.
        #expect(try ask(bearer[0], bearer[1], shunt.admin + "/v1/status") == "200")
        let login = try shunt.curl([
            "-sD-", "-H", "Content-Type: application/json", "-d", #"{"token": "\#(ada)"}"#, url + "/v1/inspector/login",
        ]).output
        #expect(
            login.contains("set-cookie: __Host-shunt-inspector-") || login.contains("Set-Cookie: __Host-"), "\(login)")
        #expect(login.contains("; HttpOnly; SameSite=Strict; Secure"), "\(login)")
        // Commands, with the URL before or behind, or in the environment.
        let used = try run(shunt, ada, "--admin", url, "--admin-ca=certs/ca.pem", "use", "staging")
        #expect(used.output.hasPrefix("Profile staging is active at \(url); before"), "\(used)")
        let variables = ["SHUNT_ADMIN": url, "SHUNT_ADMIN_CA": "certs/ca.pem"]
        #expect(try run(shunt, ada, "status", environment: variables).output.contains("* staging"))
        let untrusted = try run(shunt, ada, "status", "--admin", url)
        #expect(untrusted.status == 1 && untrusted.errors.contains("--admin-ca"), "\(untrusted)")
        let plain = try run(shunt, ada, "status", "--admin", "http://gateway.test:\(port)")
        #expect(plain.status == 64 && plain.errors.contains("no URL of an admin interface"), "\(plain)")
        let logs = try run(shunt, ada, "logs", environment: variables)
        #expect(logs.status == 1 && logs.errors.contains("shunt inspect"), "\(logs)")
        let link = try run(shunt, ada, "inspect", "--print", "--admin", url, "--admin-ca", "certs/ca.pem").output
        #expect(link.hasPrefix(url + "/#login="), "\(link)")
        try shunt.stop()
    }

    @Test func `guesses from one address are slowed down`() throws {
        let (shunt, url) = try gateway()
        let ada = try token(shunt, "ada")
        func ask(_ token: String) throws -> String {
            try shunt.curl(
                "-o", "body", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)", url + "/v1/status"
            ).output
        }
        let codes = try (0..<12).map { _ in try ask("x") }
        #expect(codes.prefix(10).allSatisfy { $0 == "401" } && codes.last == "429", "\(codes)")
        #expect(try ask(ada) == "429")
        // Of those who show nothing, nothing is counted; this machine's own listener has no such limit.
        #expect(try shunt.curl("-o", "body", "-w", "%{http_code}", url + "/v1/status").output == "401")
        #expect(try run(shunt, ada, "status").status == 0)
        try shunt.stop()
    }

    @Test func `silent connections do not keep a user out, before and in a handshake`() throws {
        let (shunt, url) = try gateway()
        let ada = try token(shunt, "ada")
        let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
        for bytes in ["", "\u{16}\u{3}\u{1}\u{2}", "GET /v1/sta"] {
            let holders = try (0..<600).map { _ in
                let connection = try RawConnection.connect(port)
                try connection.send(bytes)
                return connection
            }
            let status = try run(shunt, ada, "status", "--admin", url, "--admin-ca", "certs/ca.pem")
            #expect(status.status == 0, "\(bytes.debugDescription) \(status)")
            withExtendedLifetime(holders) {}
        }
        try shunt.stop()
    }

    @Test(arguments: [
        (["--admin-listen", "127.0.0.1:0"], 1, "shunt token new"),
        (["--admin-listen", "0.0.0.0:0"], 64, "--admin-host"),
        (["--admin-listen", "gateway:1"], 64, "no address with a port"), (["--admin-host", "x"], 64, "--admin-listen"),
        (["--admin-listen", "127.0.0.1:0", "--admin-cert", "x"], 64, "--admin-key"),
        (["--admin-listen", "127.0.0.1:0", "--admin-host", "a b"], 64, "no host name"),
        (["--client-rate", "0"], 64, "--client-rate"), (["--client-connections", "5/s"], 64, "--client-connections"),
    ])
    func `what would let anyone in does not start`(options: [String], status: Int, words: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.mock("local"))
        let result = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--admin-port", "0", "--certs", "certs"] + options,
            directory: folder.path)
        #expect(result.status == status && result.errors.contains(words), "\(result)")
    }

    @Test func `the owner's token counts elsewhere only if told`() throws {
        // Made before it starts, since it does not start without one.
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.mock("local"))
        #expect(try ChildProcess.run(ShuntBinary.path, ["token", "new", "ada"], directory: folder.path).status == 0)
        let address = try #require(Self.ownAddress, "this machine has no address but loopback")
        let process = try ChildProcess(
            ShuntBinary.path,
            [
                "serve", "--port", "0", "--admin-port", "0", "--certs", "certs", "--ready-file", "ready.json",
                "--admin-listen", "0.0.0.0:0", "--admin-host", address, "--client-rate", "3/s", "--host", "0.0.0.0",
            ], directory: folder.path)
        #expect(eventually { folder.exists("ready.json") })
        let port = try #require(JSONReader.read(try folder.read("ready.json"))["port"]?.number?.int64)
        let record = try JSONReader.read(try folder.read(".shunt/\(port).json"))
        let owner = try #require(record["token"]?.string)
        let url = try #require(
            process.errors.firstMatch(of: /reach the admin interface at (https:\S+)/).map { String($0.1) })
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["curl", "-sS", "--noproxy", "*", "-k", "-H", "Authorization: Bearer \(owner)", url + "/v1/status"],
            directory: folder.path)
        #expect(result.output.contains("counts on the machine of this Shunt only"), "\(result)")
        // Requests from another address than loopback are counted, over both versions of HTTP; loopback's are not.
        for (host, scheme, limited) in [
            (address, "http", true), (address, "https", true), ("127.0.0.1", "http", false),
        ] {
            let requests = (0..<30).map { _ in
                "url = \(scheme)://\(host):\(port)/\noutput = body\nwrite-out = \"%{http_code} \"\ninsecure\n"
            }
            try folder.write("requests", requests.joined(separator: "next\n"))
            let codes = try ChildProcess.run(
                "/usr/bin/env", ["curl", "-sS", "--noproxy", "*", "-K", "requests"], directory: folder.path
            ).output.split(separator: " ")
            #expect(codes.count == 30 && codes.contains("429") == limited, "\(host) \(scheme) \(codes)")
            #expect(limited || codes.allSatisfy { $0 == "200" }, "\(codes)")
        }
        let over = try (0..<10).map { _ in
            try ChildProcess.run(
                "/usr/bin/env", ["curl", "-sSi", "--noproxy", "*", "http://\(address):\(port)/"], directory: folder.path
            ).output
        }.first { $0.contains("429") }
        if let over {
            #expect(over.contains("Retry-After: 1") && over.contains("application/problem+json"), "\(over)")
            #expect(over.contains("more than 3 requests in a second"), "\(over)")
        }
        process.signal(15)
        _ = try process.wait()
    }

    /// An address of this machine that is not loopback.
    private static var ownAddress: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else { continue }
            var text = [CChar](repeating: 0, count: 64)
            guard
                getnameinfo(
                    address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { continue }
            let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if !host.hasPrefix("127.") { return host }
        }
        return nil
    }
}
