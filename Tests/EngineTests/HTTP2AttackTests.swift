import Engine
import HTTP2
import TestSupport
import Testing

/// Floods and slow readers, on real sockets.
@Suite struct HTTP2AttackTests {
    private static func mock(_ length: Int = 2, limits: Limits = Limits()) async throws -> Harness {
        let text = String(repeating: "x", count: length)
        return try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "\#(text)"}}]}"#], active: "only",
            limits: limits)
    }

    private static func frame(_ client: RawConnection) throws -> HTTP2Frame {
        let start = try client.readBytes(9)
        let count = Int(start[0]) << 16 | Int(start[1]) << 8 | Int(start[2])
        return HTTP2Frame.read(start + (try client.readBytes(count)))[0]
    }

    private static let attacks: [(String, @Sendable (UInt32) -> [HTTP2Frame], code: UInt32)] = [
        ("rapid reset", { [.headers($0, HTTP2Frame.get()), .reset($0)] }, 11),
        ("malformed requests", { [.headers($0, HTTP2Frame.get() + [("X", "y")])] }, 11),
        ("SETTINGS", { _ in [.settings()] }, 11),
        ("PING", { _ in [HTTP2Frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])] }, 11),
        (
            "a head without end",
            { [$0 == 1 ? HTTP2Frame(.headers, stream: 1) : HTTP2Frame(.continuation, stream: 1)] }, 11
        ),
        ("no HTTP/2 at all", { _ in [HTTP2Frame(.data, stream: 0)] }, 1),
    ]

    @Test(arguments: attacks.indices)
    func `whoever attacks is told why and left, and others are served meanwhile`(index: Int) async throws {
        let harness = try await Self.mock()
        let port = harness.port
        let (name, frames, code) = Self.attacks[index]
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            try client.send(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
            // More than any limit lets through; what is written after the end may fail.
            var bytes: [UInt8] = []
            for number in 0..<2000 { bytes += frames(UInt32(2 * number + 1)).flatMap(\.bytes) }
            try? client.send(bytes)
            var last: HTTP2Frame?
            while last?.is(.goAway) != true { last = try Self.frame(client) }
            #expect(last?.code == code, "\(name)")
            _ = try? client.drain()
            #expect(try ClientKind.h2c.ask(port, "GET", "/").body == "xx")
        }
        await harness.stop()
    }

    @Test func `responses that nobody takes are given up when their time is over`() async throws {
        let harness = try await Self.mock(6000, limits: shortLimits { $0.bodyTime = Limits.second })
        let port = harness.port
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            try client.send(HTTP2Frame.preface + HTTP2Frame.settings([(4, 0)]).bytes)
            for number in 0..<100 {
                try client.send(HTTP2Frame.headers(UInt32(2 * number + 1), HTTP2Frame.get()).bytes)
            }
            // The exchanges are over; what they left waits for windows that never come.
            #expect(eventually { harness.log.exchanges.count == 100 })
            _ = try client.drain()
        }
        await harness.stop()
    }

    @Test func `a head that is not sent to its end is not waited for`() async throws {
        let harness = try await Self.mock(limits: shortLimits { $0.headTime = Limits.second / 2 })
        let port = harness.port
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            try client.send(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
            try client.send(HTTP2Frame(.headers, stream: 1, HTTP2Frame.block(HTTP2Frame.get())).bytes)
            _ = try client.drain()
        }
        await harness.stop()
    }

    @Test(arguments: [
        ("another Host than the authority", [("host", "b.test")], "400"),
        ("a Host alone", [], "200"),
        ("a fragment in the path", [(":path", "/a#b")], "400"),
        ("a bad escape in the path", [(":path", "/%zz")], "200"),
        ("an authority with a user", [(":authority", "u:p@a.test")], "400"),
        ("an unknown coding", [("content-encoding", "x")], "200"),
        ("CONNECT", [], "501"),
        ("a tunnel for h2c", [(":protocol", "h2c")], "501"),
    ])
    func `requests that translate to none are refused`(
        what: String, more: [(String, String)], status: String
    ) async throws {
        let harness = try await Self.mock()
        let port = harness.port
        var fields = HTTP2Frame.get().filter { field in !more.contains { $0.0 == field.0 } }
        if what == "a Host alone" { fields = fields.filter { $0.0 != ":authority" } + [("host", "a.test")] }
        if what == "CONNECT" { fields = [(":method", "CONNECT"), (":authority", "a.test:1")] }
        if what == "a tunnel for h2c" { fields[0] = (":method", "CONNECT") }
        fields = more.filter { $0.0.hasPrefix(":") } + fields + more.filter { !$0.0.hasPrefix(":") }
        let ends = status != "501" && status != "502"
        let request = fields
        try await blocking { () throws in
            let client = try RawConnection.connect(port)
            try client.send(
                HTTP2Frame.preface + HTTP2Frame.settings().bytes
                    + HTTP2Frame.headers(1, request, ends: ends).bytes)
            var response: HTTP2Frame?
            while response?.is(.headers) != true { response = try Self.frame(client) }
            // The status is looked up in the static table, or a literal.
            let known: [UInt8: String] = [0x88: "200", 0x8c: "400"]
            let first = response?.payload.first ?? 0
            let text = known[first] ?? Self.literal(response?.payload ?? [])
            #expect(text == status, "\(what)")
        }
        await harness.stop()
    }

    /// A status with an indexed name; digits are Huffman-coded or not (RFC 7541 B).
    private static func literal(_ payload: [UInt8]) -> String {
        guard payload.count > 4 else { return "" }
        if payload[1] & 0x80 == 0 { return String(decoding: payload[2..<5], as: UTF8.self) }
        let bits = payload[2..<(2 + Int(payload[1] & 0x7f))].flatMap { byte in
            (0..<8).map { byte >> (7 - $0) & 1 }
        }
        var digits = ""
        var index = 0
        while digits.count < 3, index + 5 <= bits.count {
            let five = bits[index..<(index + 5)].reduce(0) { $0 << 1 | Int($1) }
            if five <= 2 {
                digits += "\(five)"
                index += 5
            } else {
                let six = bits[index..<(index + 6)].reduce(0) { $0 << 1 | Int($1) }
                digits += "\(six - 0x19 + 3)"
                index += 6
            }
        }
        return digits
    }
}
