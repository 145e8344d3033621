import Engine
import HTTP2
import Synchronization
import TLS
import TestSupport
import Testing

/// NTLM and Negotiate authenticate a connection: it belongs to the client that has sent the credentials.
@Suite struct BoundOriginTests {
    /// Takes the user of a connection for that of all its requests, as servers with NTLM do.
    private final class Server: Sendable {
        /// Of each connection, what it was asked, and whether it has ended.
        private let seen = Mutex<[Int: [String]]>([:])
        private let over = Mutex<Set<Int>>([])

        var connections: [Int: [String]] { seen.withLock { $0 } }
        var ended: Int { over.withLock { $0.count } }

        func serve(_ connection: RawConnection, _ number: Int, scheme: String) throws {
            defer { _ = over.withLock { $0.insert(number) } }
            var user: String?
            var isChallenged = false
            while true {
                let lines = try connection.readHead().split(separator: "\r\n")
                let value = lines.first { $0.lowercased().hasPrefix("authorization: ") }?.dropFirst(15)
                seen.withLock { $0[number, default: []].append(String(lines[0].split(separator: " ")[1])) }
                var (status, field) = ("200 OK", "")
                if let token = value?.split(separator: " ").last {
                    if token.hasPrefix("TlRMTVNTUAAB") {
                        user = nil
                        isChallenged = true
                        (status, field) = ("401 No", "WWW-Authenticate: \(scheme) TlRMTVNTUAACAAAA\r\n")
                    } else if token.hasPrefix("YII") {
                        user = String(token.dropFirst(3))
                    } else if isChallenged {
                        user = String(token.dropFirst("TlRMTVNTUAADAAAA".count))
                        isChallenged = false
                    } else {
                        (status, field) = ("401 No", "WWW-Authenticate: \(scheme)\r\n")
                    }
                } else if user == nil {
                    // A message in the middle of a handshake ends it.
                    isChallenged = false
                    (status, field) = (
                        "401 No", "WWW-Authenticate: \(scheme)\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
                    )
                }
                let body = status.hasPrefix("200") ? user ?? "" : "who"
                try connection.send(
                    "HTTP/1.1 \(status)\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    private static let first = "TlRMTVNTUAABAAAA"
    private static func last(_ user: String) -> String { "TlRMTVNTUAADAAAA" + user }

    private func request(_ path: String = "/", _ authorization: String? = nil) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n" + (authorization.map { "Authorization: \($0)\r\n" } ?? "")
            + "\r\n"
    }

    private func ask(_ client: RawConnection, _ path: String = "/", _ authorization: String? = nil) throws -> String {
        try client.send(request(path, authorization))
        let head = try client.readHead()
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
        return try head.dropFirst(9).prefix(3) + " " + client.read(count: length.flatMap { Int($0) } ?? 0)
    }

    private func logIn(_ client: RawConnection, _ user: String, scheme: String = "NTLM") throws -> String {
        let challenge = try ask(client, "/login", "\(scheme) \(Self.first)")
        return try challenge + ", " + ask(client, "/login", "\(scheme) \(Self.last(user))")
    }

    private func start(
        scheme: String = "NTLM", forward: ForwardProxy? = nil
    ) async throws -> (harness: Harness, origin: ScriptedOrigin, server: Server) {
        let server = Server()
        let origin = ScriptedOrigin { connection, number in try server.serve(connection, number, scheme: scheme) }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("http://127.0.0.1:\(origin.port)")], active: "only", forward: forward)
        return (harness, origin, server)
    }

    @Test(arguments: ["NTLM", "Negotiate", "negotiate", "nTLM"])
    func `no client gets what another one has authenticated for`(scheme: String) async throws {
        let (harness, origin, server) = try await start(scheme: scheme)
        let ada = try RawConnection.connect(harness.port)
        #expect(try logIn(ada, "ada", scheme: scheme) == "401 who, 200 ada")
        for _ in 0..<3 {
            let other = try RawConnection.connect(harness.port)
            #expect(try ask(other) == "401 who")
            other.close()
        }
        // Her own connection goes on, without credentials in each request.
        #expect(try ask(ada, "/mine") == "200 ada")
        ada.close()
        // Nor does one that comes after her.
        let late = try RawConnection.connect(harness.port)
        #expect(try ask(late) == "401 who")
        let hers = try #require(server.connections.values.first { $0.contains("/login") })
        #expect(hers == ["/login", "/login", "/mine"])
        await harness.stop()
        origin.stop()
    }

    @Test func `a connection that is authenticated ends with its client`() async throws {
        let (harness, origin, server) = try await start()
        let ada = try RawConnection.connect(harness.port)
        #expect(try logIn(ada, "ada") == "401 who, 200 ada")
        #expect(server.ended == 0)
        ada.close()
        let hasEnded = try await blocking { eventually { server.ended == 1 } }
        #expect(hasEnded)
        await harness.stop()
        origin.stop()
    }

    @Test func `one message of Kerberos is enough`() async throws {
        let (harness, origin, _) = try await start(scheme: "Negotiate")
        let ada = try RawConnection.connect(harness.port)
        #expect(try ask(ada, "/", "Negotiate YIIada") == "200 ada")
        #expect(try ask(ada) == "200 ada")
        let other = try RawConnection.connect(harness.port)
        #expect(try ask(other) == "401 who")
        await harness.stop()
        origin.stop()
    }

    @Test func `handshakes succeed under other traffic, over either version`() async throws {
        let (harness, origin, _) = try await start()
        let port = harness.port
        let isOver = Kept(false)
        let results = try await blocking { () throws -> [String] in
            for _ in 0..<3 {
                startThread {
                    guard let client = try? RawConnection.connect(port) else { return }
                    while !isOver.value, (try? ask(client, "/other")) == "401 who" {}
                }
            }
            defer { isOver.change { $0 = true } }
            return try (0..<20).map { number in
                let user = "user\(number)"
                if number % 2 == 0 { return try logIn(try RawConnection.connect(port), user) }
                let wire = try HTTP2Wire.connect(port)
                var seen: [String] = []
                for authorization in ["NTLM \(Self.first)", "NTLM \(Self.last(user))"] {
                    // Another stream of the same client in the middle of it.
                    let other = try wire.request(request("/other"))
                    let recorder = try wire.request(request("/login", authorization))
                    try wire.finish(recorder)
                    try wire.finish(other)
                    seen.append("\(recorder.heads[0].dropFirst(9).prefix(3)) \(recorder.text)")
                }
                return seen.joined(separator: ", ")
            }
        }
        #expect(results == (0..<20).map { "401 who, 200 user\($0)" })
        await harness.stop()
        origin.stop()
    }

    @Test func `streams of one client share what it has authenticated, and those of another do not`() async throws {
        let (harness, origin, server) = try await start()
        let port = harness.port
        try await blocking {
            func ask(_ wire: HTTP2Wire, _ authorization: String?) throws -> String {
                let recorder = try wire.request(request("/", authorization))
                try wire.finish(recorder)
                return "\(recorder.heads[0].dropFirst(9).prefix(3)) \(recorder.text)"
            }
            let (ada, bob) = (try HTTP2Wire.connect(port), try HTTP2Wire.connect(port))
            #expect(try ask(ada, "NTLM \(Self.first)") == "401 who")
            #expect(try ask(bob, "NTLM \(Self.first)") == "401 who")
            #expect(try ask(ada, "NTLM \(Self.last("ada"))") == "200 ada")
            #expect(try ask(bob, "NTLM \(Self.last("bob"))") == "200 bob")
            #expect(try ask(ada, nil) == "200 ada")
            #expect(try ask(bob, nil) == "200 bob")
            // Two handshakes of one client at once, one after the other.
            let (first, second) = (
                try ada.request(request("/", "NTLM \(Self.first)")), try ada.request(request("/", "NTLM \(Self.first)"))
            )
            try ada.finish(first)
            #expect(first.heads[0].hasPrefix("HTTP/1.1 401"))
            #expect(try ask(ada, "NTLM \(Self.last("one"))") == "200 one")
            try ada.finish(second)
            #expect(try ask(ada, "NTLM \(Self.last("two"))") == "200 two")
        }
        await harness.stop()
        origin.stop()
        #expect(server.connections.values.allSatisfy { !$0.isEmpty })
    }

    @Test func `a host that the forward proxy reaches is authenticated for one client as well`() async throws {
        let (harness, origin, _) = try await start(forward: ForwardProxy())
        let target = "http://127.0.0.1:\(origin.port)/"
        let ada = try RawConnection.connect(harness.port)
        #expect(try ask(ada, target, "NTLM \(Self.first)") == "401 who")
        #expect(try ask(ada, target, "NTLM \(Self.last("ada"))") == "200 ada")
        #expect(try ask(ada, target) == "200 ada")
        let other = try RawConnection.connect(harness.port)
        #expect(try ask(other, target) == "401 who")
        await harness.stop()
        origin.stop()
    }
}
