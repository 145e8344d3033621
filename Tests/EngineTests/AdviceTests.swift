import Engine
import Exchanges
import TLS
import TestSupport
import Testing

/// What error pages say, word for word: what is the case, and what to do.
@Suite struct AdviceTests {
    /// The text of the error page for one request to an origin that a script plays; PORT stands for its port.
    private func page(
        _ request: String, scheme: String = "http", more: String = "", limits: Limits = Limits(),
        origin script: @escaping @Sendable (RawConnection, Int) throws -> Void
    ) async throws -> String {
        let origin = ScriptedOrigin(script)
        defer { origin.stop() }
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("\(scheme)://localhost:\(origin.port)", more: more)], active: "only",
            limits: limits)
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(request)
            return try client.readToEnd()
        }
        await harness.stop()
        let text = got.firstRange(of: "\r\n\r\n").map { String(got[$0.upperBound...]) } ?? got
        return text.replacing("\(origin.port)", with: "PORT")
    }

    /// Connections to addresses of multicast are refused on every machine in the way in which there is none elsewhere.
    @Test func `where no way leads to the origin, that is said`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": Harness.origin("http://224.0.0.1:3000")], active: "only")
        let port = harness.port
        let got = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(Self.get)
            return try client.readToEnd()
        }
        await harness.stop()
        #expect(got.contains("origin http://224.0.0.1:3000 cannot be reached (224.0.0.1:3000: Network is unreachable)"))
        #expect(got.contains("Is the host reachable from here (VPN, firewall)?"))
        #if canImport(Darwin) || SHUNT_KQUEUE
        #expect(got.contains("System Settings, Privacy & Security, Local Network"))
        #endif
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(
        arguments: [
            (
                "TLS", [0x15, 3, 1, 0, 2, 2, 0x46],
                "shunt: origin http://localhost:PORT responded with TLS\nWrite https://localhost:PORT in the route.\n"
            ),
            (
                "TLS with a line feed", [0x16, 3, 3, 0, 4, 0x0A, 0x0A, 0x0D, 0x0A],
                "shunt: origin http://localhost:PORT responded with TLS\nWrite https://localhost:PORT in the route.\n"
            ),
            (
                "HTTP/2", [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100],
                "shunt: origin http://localhost:PORT responded with HTTP/2\nWrite h2c://localhost:PORT in the route.\n"
            ),
            (
                "nothing", [],
                """
                shunt: origin http://localhost:PORT closed the connection without a response
                Look into the origin's own log: it may have crashed or been restarted.
                If it expects TLS, write https://localhost:PORT in the route.

                """
            ),
            (
                "neither", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8),
                """
                shunt: origin http://localhost:PORT sent a faulty response: version "SSH-2.0-" (RFC 9112 2.3: "HTTP/1.1" or \
                "HTTP/1.0" is expected)
                Is that the port of a web server? What responds there speaks something else than HTTP.

                """
            ),
            (
                "another protocol unasked", Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n".utf8),
                """
                shunt: origin http://localhost:PORT switched protocols without being asked
                Mend the server's response: 101 is for requests with Upgrade alone (RFC 9110 15.2.2).

                """
            ),
            (
                "two lengths",
                Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n".utf8),
                """
                shunt: origin http://localhost:PORT sent a faulty response: Content-Length with different values (RFC 9110 8.6: \
                one is expected)
                Mend the server's response, or what lies between it and Shunt.

                """
            ),
        ] as [(String, [UInt8], String)])
    func `an http origin that responds with something else`(name: String, bytes: [UInt8], text: String) async throws {
        let got = try await page(Self.get) { connection, _ in
            _ = try connection.readHead()
            try connection.send(bytes)
        }
        #expect(got == "502 Bad Gateway\n" + text)
    }

    @Test func `an https origin that waits for more of the handshake`() async throws {
        var limits = Limits()
        limits.connectTime = Limits.second
        let got = try await page(Self.get, scheme: "https", limits: limits) { connection, _ in
            _ = try connection.drain()
        }
        #expect(got.contains("shunt: origin https://localhost:PORT did not finish the TLS handshake within 1 s\n"))
        #expect(got.hasSuffix(" If it speaks plain HTTP, write http://localhost:PORT in the route.\n"), "\(got)")
    }

    @Test func `an https origin that speaks plain HTTP`() async throws {
        let got = try await page(Self.get, scheme: "https", more: #", "trust": {"localhost": "disabled"}"#) {
            connection, _ in
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            _ = try connection.readToEnd()
        }
        #expect(
            got.hasPrefix(
                "502 Bad Gateway\nshunt: no TLS connection to origin https://localhost:PORT: the origin responded "
                    + "without TLS, perhaps in plain HTTP (OpenSSL: "))
        #expect(got.hasSuffix("\nIf it speaks plain HTTP, write http://localhost:PORT in the route.\n"))
    }

    @Test func `an h2c origin that speaks HTTP 1`() async throws {
        let got = try await page(Self.get, scheme: "h2c") { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(got.hasPrefix("502 Bad Gateway\nshunt: origin h2c://localhost:PORT did not begin as HTTP/2 does ("))
        #expect(
            got.hasSuffix("\nIf it speaks HTTP/1.1, give it http:// instead of h2c://; else look into its own log.\n"))
    }

    @Test(arguments: [
        (
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            """
            400 Bad Request
            shunt: both Content-Length and Transfer-Encoding (RFC 9112 6.3: this is how requests are smuggled, one is \
            expected)
            Let the client send one of them: Content-Length, or Transfer-Encoding where the length is not known. If it \
            sends one, a proxy between it and Shunt adds the other.

            """
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a", count: 40_000))\r\n\r\n",
            """
            431 Request Header Fields Too Large
            shunt: a head of more than 32768 bytes: that is the limit set
            `shunt serve --head-size 64k` allows more. Heads mostly grow by cookies and tokens: see which there are.

            """
        ),
        (
            "GET /?\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
            """
            414 URI Too Long
            shunt: a first line of more than 32768 bytes: that is the limit set for a head
            `shunt serve --head-size 64k` allows more. Long parameters fit better into a body.

            """
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 300))\r\n",
            """
            431 Request Header Fields Too Large
            shunt: more than 200 field lines: that is the limit set for a head
            `shunt serve --fields 500` allows more.

            """
        ),
    ])
    func `a request that cannot be read`(request: String, text: String) async throws {
        #expect(try await page(request) { connection, _ in _ = try connection.readToEnd() } == text)
    }

    @Test func `SOCKS while it is off is refused in its own words, and the log says how to have it`() async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": []}"#], active: "only",

            identities: .development(try DevelopmentCA.ephemeral()))
        let port = harness.port
        let reply = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send([5, 1, 0])
            return try client.readBytes(2)
        }
        await harness.stop()
        #expect(reply == [5, 0xFF])
        #expect(
            harness.log.exchanges.first?.failure?.message.hasSuffix(
                " speaks SOCKS, and Shunt was started with `--no-proxy`") == true)
    }
}
