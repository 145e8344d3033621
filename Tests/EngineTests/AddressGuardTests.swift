import Engine
import Reactor
import Synchronization
import TestSupport
import Testing

/// Production is recognised by its address where a request says no name that tells it apart.
@Suite struct AddressGuardTests {
    /// The names that a proxy can look up, and how often it did.
    private final class Names: Sendable {
        private let known: [String: Result<[SocketAddress], ResolutionError>]
        private let asked = Mutex<[String: Int]>([:])

        init(_ known: [String: Result<[SocketAddress], ResolutionError>]) { self.known = known }

        func count(of name: String) -> Int { asked.withLock { $0[name] ?? 0 } }

        var resolver: Resolver {
            Resolver { name in
                self.asked.withLock { $0[name, default: 0] += 1 }
                // Numbers are for the system to read.
                return self.known[name]
                    ?? (name.hasSuffix(".test") ? .failure(.failed("none")) : Resolver.askSystem(name))
            }
        }
    }

    private static let here = SocketAddress.loopback(.ipv4, port: 0)
    private static let elsewhere = SocketAddress(family: .ipv4, bytes: [203, 0, 113, 9], port: 0)
    private static let production = "api.shop.test"

    private func start(
        _ origin: ChainTests.Named, staging: String, names: Names
    ) async throws -> Harness {
        try await Harness.start(
            profiles: [
                "production": Harness.origin("http://\(Self.production):\(origin.origin.port)", kind: "production"),
                "staging": #"{"kind": "staging", "routes": [\#(staging)]}"#,
            ], active: "staging", resolver: names.resolver)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.1."])
    func `a bare address that is production's is read-only`(spelling: String) async throws {
        let origin = ChainTests.Named("done")
        // One of several addresses is enough.
        let names = Names([Self.production: .success([Self.elsewhere, Self.here])])
        let harness = try await start(
            origin, staging: #"{"origin": "http://\#(spelling):\#(origin.origin.port)/v1"}"#, names: names)
        let refused = try await askOnce(harness.port, "DELETE", "/users/7")
        #expect(refused.head.hasPrefix("HTTP/1.1 403 "), "\(refused)")
        #expect(refused.body.contains("is the address of api.shop.test"), "\(refused.body)")
        #expect(refused.body.contains("Profiles/production.json:1"), "\(refused.body)")
        #expect(try await askOnce(harness.port, "GET", "/", "X-HTTP-Method: PUT\r\n").head.hasPrefix("HTTP/1.1 403 "))
        #expect(origin.received.isEmpty)
        #expect(try await askOnce(harness.port, "GET", "/users").head.hasPrefix("HTTP/1.1 200 "))
        try harness.proxy.locks.unlock("production", seconds: 60, reason: "a test")
        #expect(try await askOnce(harness.port, "DELETE", "/users/7").head.hasPrefix("HTTP/1.1 200 "))
        // All these requests together needed one look-up.
        #expect(names.count(of: Self.production) == 1)
        await harness.stop()
    }

    @Test func `a route's "allow" lets a change to production's bare address through`() async throws {
        let origin = ChainTests.Named("done")
        let names = Names([Self.production: .success([Self.here])])
        let harness = try await start(
            origin, staging: #"{"origin": "http://127.0.0.1:\#(origin.origin.port)", "allow": ["DELETE"]}"#,
            names: names)
        #expect(try await askOnce(harness.port, "DELETE", "/").head.hasPrefix("HTTP/1.1 200 "))
        #expect(try await askOnce(harness.port, "PUT", "/").head.hasPrefix("HTTP/1.1 403 "))
        await harness.stop()
    }

    @Test func `a candidate of a chain is held to the same`() async throws {
        let origin = ChainTests.Named("done")
        let closed = ScriptedOrigin.closedPort()
        let names = Names([Self.production: .success([Self.here])])
        let harness = try await start(
            origin,
            staging: """
                {"origin": ["http://127.0.0.1:\(closed)", "http://127.0.0.1:\(origin.origin.port)"]}
                """, names: names)
        #expect(try await askOnce(harness.port, "DELETE", "/").head.hasPrefix("HTTP/1.1 403 "))
        #expect(try await askOnce(harness.port, "GET", "/").head.hasPrefix("HTTP/1.1 200 "))
        #expect(origin.received.count == 1)
        await harness.stop()
    }

    /// The Host field of a request, where production is, and whether the request is refused.
    @Test(arguments: [
        (production, true, true), ("API.shop.test", true, true), ("api.shop.test.", true, true),
        ("api.shop.test:8443", true, true), ("staging--api.shop.test", true, true),
        // Its own name, and one that nothing is known of.
        ("staging.shop.test", true, false), ("x", true, false),
        // Another server answers to production's name here, as where a client takes Shunt for production.
        (production, false, false),
    ])
    func `a gateway that gets production's name is production`(
        host: String, isShared: Bool, isRefused: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let names = Names([
            "staging.shop.test": .success([Self.here]),
            Self.production: .success([isShared ? Self.here : Self.elsewhere]),
        ])
        let harness = try await start(
            origin,
            staging: #"{"origin": "http://staging.shop.test:\#(origin.origin.port)", "preserveHost": true}"#,
            names: names)
        let response = try await askOnce(harness.port, "DELETE", "/", host: host)
        #expect(response.head.hasPrefix("HTTP/1.1 \(isRefused ? 403 : 200) "), "\(response)")
        #expect(origin.received.count == (isRefused ? 0 : 1))
        await harness.stop()
    }

    @Test func `staging behind production's gateway under its own name is not production`() async throws {
        let origin = ChainTests.Named("done")
        let names = Names(["staging.shop.test": .success([Self.here]), Self.production: .success([Self.here])])
        let harness = try await start(
            origin, staging: #"{"origin": "http://staging.shop.test:\#(origin.origin.port)"}"#, names: names)
        let response = try await askOnce(harness.port, "DELETE", "/", host: Self.production)
        #expect(response.head.hasPrefix("HTTP/1.1 200 "), "\(response)")
        #expect(names.count(of: Self.production) == 0)
        await harness.stop()
    }

    @Test(arguments: [ResolutionError.failed("no such name"), .unavailable("try again"), .timedOut])
    func `an address of this machine is not production while production has no address`(
        failure: ResolutionError
    ) async throws {
        let origin = ChainTests.Named("done")
        let harness = try await start(
            origin, staging: #"{"origin": "http://127.0.0.1:\#(origin.origin.port)"}"#,
            names: Names([Self.production: .failure(failure)]))
        let response = try await askOnce(harness.port, "DELETE", "/")
        #expect(response.head.hasPrefix("HTTP/1.1 200 "), "\(response)")
        await harness.stop()
    }

    @Test(arguments: [ResolutionError.unavailable("try again"), .timedOut])
    func `a public address may be production's while that cannot be looked up`(failure: ResolutionError) async throws {
        let origin = ChainTests.Named("done")
        // Refused before a connection is made.
        let harness = try await start(
            origin, staging: #"{"origin": "http://93.184.216.34:\#(origin.origin.port)"}"#,
            names: Names([Self.production: .failure(failure)]))
        let response = try await askOnce(harness.port, "DELETE", "/")
        #expect(response.head.hasPrefix("HTTP/1.1 403 "), "\(response)")
        #expect(response.body.contains("api.shop.test cannot be looked up now"), "\(response.body)")
        await harness.stop()
    }

    @Test func `requests that begin at once wait for one look-up`() async throws {
        let origin = ChainTests.Named("done")
        let names = Names([Self.production: .success([Self.here])])
        let harness = try await start(
            origin, staging: #"{"origin": "http://127.0.0.1:\#(origin.origin.port)"}"#, names: names)
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<24 {
                group.addTask { try await askOnce(harness.port, "DELETE", "/").head.prefix(12) }
            }
            return try await group.reduce(into: Set<Substring>()) { $0.insert($1) }
        }
        #expect(statuses == ["HTTP/1.1 403"] && names.count(of: Self.production) == 1)
        await harness.stop()
    }
}
