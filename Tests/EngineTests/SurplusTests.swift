import Engine
import TLS
import TestSupport
import Testing

/// Origins that say more than a response: it never becomes the next client's.
@Suite struct SurplusTests {
    private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

    /// What an origin sends behind a response, while its connection has nothing to do.
    enum Surplus: CaseIterable, Sendable {
        case sameRecord, nextRecord, closeNotify, partOfRecordHead, recordHead, partOfRecord, brokenRecord

        /// A whole response, and this behind it.
        func flight(behind response: String, on sealed: SealedConnection) throws -> [UInt8] {
            if self == .sameRecord { return try sealed.seal(response + poison) }
            return try sealed.seal(response) + bytes(sealed)
        }

        func bytes(_ sealed: SealedConnection) throws -> [UInt8] {
            switch self {
            case .sameRecord, .nextRecord: try sealed.seal(poison)
            case .closeNotify: sealed.sealEnd()
            case .partOfRecordHead: Array(try sealed.seal(poison).prefix(3))
            case .recordHead: Array(try sealed.seal(poison).prefix(5))
            case .partOfRecord: Array(try sealed.seal(poison).prefix(30))
            case .brokenRecord: Array(try sealed.seal(poison).dropLast() + [0])
            }
        }
    }

    /// A response of that many bytes in all.
    private static func response(_ size: Int) -> String {
        let head = { (count: Int) in "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n" }
        var count = max(0, size - head(size).utf8.count)
        while (head(count).utf8.count + count) < size { count += 1 }
        return head(count) + String(repeating: "x", count: count)
    }

    /// Where reads end, and sizes between.
    private static let sizes: [Int] = {
        let ends = [3, 16, 32, 64, 128, 192].flatMap { kib in (kib * 1024 - 1)...(kib * 1024 + 1) }
        return Circle.values([40] + ends, andAll: Array(stride(from: 8033, through: 200_000, by: 7_993)))
    }()

    private static func start(
        _ origin: ScriptedOrigin, limits: Limits = Limits()
    ) async throws -> Harness {
        try await Harness.start(
            profiles: [
                "only": Harness.origin(
                    "https://localhost:\(origin.port)", more: #", "trust": {"@loopback": "disabled"}"#)
            ], active: "only", limits: limits)
    }

    @Test(arguments: [ProtocolVersion.tls12, .tls13], ClientKind.allCases)
    func `what comes behind a response of any size is not the next client's response`(
        newest: ProtocolVersion, client: ClientKind
    ) async throws {
        let context = try SealedConnection.Context(newest)
        let origin = ScriptedOrigin { connection, _ in
            let sealed = try SealedConnection(connection, context)
            while true {
                let path = try sealed.readHead().split(separator: " ")[1].dropFirst().split(separator: "-")
                guard let size = Int(path[0]), let kind = Int(path[1]) else { throw SealedConnection.Failure() }
                try connection.send(Surplus.allCases[kind].flight(behind: Self.response(size), on: sealed))
            }
        }
        defer { origin.stop() }
        let harness = try await Self.start(origin)
        let port = harness.port
        let wrong = try await blocking {
            var wrong: [String] = []
            for size in Self.sizes {
                let kinds =
                    size < 100 || size == 64 << 10 || size == 3 << 10 ? Array(Surplus.allCases.indices) : [0, 1]
                for kind in kinds {
                    for method in ["GET", "POST"] {
                        let seen = try client.ask(port, method, "/\(size)-\(kind)")
                        let count = Self.response(size).drop { $0 != "x" }.utf8.count
                        if seen.status != "HTTP/1.1 200" || seen.body.utf8.count != count {
                            wrong.append(
                                "\(method) \(size) \(Surplus.allCases[kind]): \(seen.status) \(seen.body.prefix(80))"
                            )
                        }
                    }
                }
            }
            return wrong
        }
        let idle = await harness.proxy.status().idleOriginConnections
        await harness.stop()
        #expect(wrong == [])
        #expect(idle == 0)
        #expect(origin.connectionCount == harness.log.exchanges.count)
    }

    @Test(
        arguments: [("GET", ProtocolVersion.tls12), ("POST", .tls12), ("GET", .tls13), ("POST", .tls13)],
        Surplus.allCases)
    func `what comes while a connection waits in its pool ends it`(
        next: (method: String, newest: ProtocolVersion), surplus: Surplus
    ) async throws {
        let context = try SealedConnection.Context(next.newest)
        let (seen, said) = (Box(), Box())
        let origin = ScriptedOrigin { connection, number in
            let sealed = try SealedConnection(connection, context)
            _ = try sealed.readHead()
            try connection.send(sealed.seal(Self.response(100)))
            guard number == 0, eventually({ seen.take() != "" }) else { return }
            try connection.send(surplus.bytes(sealed))
            said.put("all")
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        let harness = try await Self.start(origin)
        let port = harness.port
        let second = try await blocking {
            seen.put(try ClientKind.h1.ask(port, "GET", "/").status)
            #expect(eventually { said.take() != "" })
            return try ClientKind.h1.ask(port, next.method, "/")
        }
        await harness.stop()
        #expect(second.status == "HTTP/1.1 200" && second.body.hasPrefix("xxx"), "\(second)")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: [3 << 10, 64 << 10, 100])
    func `tickets and new keys behind a response leave the connection as good as it was`(size: Int) async throws {
        let context = try SealedConnection.Context(.tls13)
        let origin = ScriptedOrigin { connection, _ in
            let sealed = try SealedConnection(connection, context)
            while true {
                _ = try sealed.readHead()
                try connection.send(
                    sealed.seal(Self.response(size)) + sealed.sealTicket() + sealed.sealKeyUpdate()
                        + sealed.sealTicket())
            }
        }
        defer { origin.stop() }
        let harness = try await Self.start(origin)
        let port = harness.port
        let statuses = try await blocking {
            let statuses = try (0..<3).map { try ClientKind.allCases[$0 % 2].ask(port, "GET", "/").status }
            let client = try RawConnection.connect(port)
            let count = Self.response(size).drop { $0 != "x" }.utf8.count
            return try statuses
                + (0..<3).map { _ in
                    try client.send("POST / HTTP/1.1\r\nHost: a\r\n\r\n")
                    let head = try client.readHead()
                    _ = try client.readBytes(count)
                    return String(head.prefix(12))
                }
        }
        await harness.stop()
        #expect(statuses == [String](repeating: "HTTP/1.1 200", count: 6))
        // A client's first POST gets a new one.
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: ClientKind.allCases)
    func `without TLS it is the same`(client: ClientKind) async throws {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let path = try connection.readHead().split(separator: " ")[1].dropFirst()
                try connection.send(Self.response(Int(path) ?? 0) + Self.poison)
            }
        }
        defer { origin.stop() }
        let harness = try await Harness.start(to: origin.port)
        let port = harness.port
        let wrong = try await blocking {
            try Self.sizes.flatMap { size in
                try ["GET", "POST"].filter {
                    let count = Self.response(size).drop { $0 != "x" }.utf8.count
                    return try client.ask(port, $0, "/\(size)").body.utf8.count != count
                }.map { "\($0) \(size)" }
            }
        }
        await harness.stop()
        #expect(wrong == [])
        #expect(origin.connectionCount == harness.log.exchanges.count)
    }
}
