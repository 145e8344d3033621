import Reactor
import TestSupport
import Testing

@Suite struct ConnectorTests {
    @Test func `the first address that responds wins, whatever the others do`() async throws {
        let origin = ScriptedOrigin { connection, _ in _ = try connection.readToEnd() }
        defer { origin.stop() }
        let port = origin.port
        let chosen = try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            waiter.deadline = Instant.now().after(60_000_000_000)
            // Nobody listens on ::1, and 192.0.2.0/24 (RFC 5737) is never there.
            let (socket, address) = try await Connector.connect(
                to: [
                    .loopback(.ipv6, port: 0), .loopback(.ipv4, port: 0),
                    SocketAddress(family: .ipv4, bytes: [192, 0, 2, 1], port: 0),
                ], port: port, on: waiter)
            socket.close()
            waiter.retire()
            return address
        }
        #expect(chosen == .loopback(.ipv4, port: port))
    }

    @Test func `when all refuse, the error names each with its reason`() async throws {
        let port = ScriptedOrigin.closedPort()
        let attempts = try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            waiter.deadline = Instant.now().after(60_000_000_000)
            do throws(ConnectError) {
                _ = try await Connector.connect(
                    to: [.loopback(.ipv6, port: 0), .loopback(.ipv4, port: 0)], port: port, on: waiter)
                return [String]()
            } catch {
                waiter.retire()
                return error.attempts.map { "\($0.address) \($0.reason.reason)" }
            }
        }
        #expect(attempts.count == 2)
        #expect(attempts.contains("127.0.0.1:\(port) Connection refused"))
    }

    @Test(arguments: [
        ("127.0.0.1", ["127.0.0.1:0"]),
        ("::1", ["[::1]:0"]),
        ("localhost", ["[::1]:0", "127.0.0.1:0"]),
        ("api.localhost", ["[::1]:0", "127.0.0.1:0"]),
    ])
    func `literals and localhost need no look-up`(name: String, expected: [String]) async throws {
        let found = try await Bench.run { bench in
            let waiter = Waiter(bench.loop.core)
            return try await Resolver().addresses(of: name, on: waiter).map(\.description)
        }
        #expect(found == expected)
    }

    @Test func `a name that does not exist fails with the resolver's words`() async throws {
        let failure = try await Bench.run { bench -> ResolutionError? in
            let waiter = Waiter(bench.loop.core)
            waiter.deadline = Instant.now().after(60_000_000_000)
            defer { waiter.retire() }
            do throws(ResolutionError) {
                _ = try await Resolver().addresses(of: "nobody.invalid", on: waiter)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure != nil)
    }
}

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("10.0.0.1", false), ("::", false), ("fe80::1", false), ("128.0.0.1", false),
    ])
    func `what is loopback`(literal: String, expected: Bool) throws {
        #expect(try #require(SocketAddress(literal: literal, port: 1)).isLoopback == expected)
    }

    @Test(arguments: ["localhost", "1.2.3", "[::1]", "", "::g"])
    func `what is no literal`(text: String) {
        #expect(SocketAddress(literal: text, port: 1) == nil)
    }
}
