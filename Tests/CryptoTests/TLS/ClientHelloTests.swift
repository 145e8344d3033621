import TLS
import Testing

@Suite struct ClientHelloTests {
    /// The hello of a real client.
    private func hello(_ host: String) throws -> [UInt8] {
        let wired = try Wired(
            ClientContext(policy: .none), ServerContext(identities: .development(.ephemeral())), host: host)
        wired.client.wake()
        #expect(try wired.client.session.handshake() == .wantRead)
        return wired.sockets.takeRight()
    }

    @Test func `the name of a real hello is found, and not before it is whole`() throws {
        let bytes = try hello("shop.test")
        #expect(ClientHello.serverName(in: bytes) == .found("shop.test"))
        for count in bytes.indices { #expect(ClientHello.serverName(in: Array(bytes[..<count])) == .incomplete) }
        #expect(ClientHello.serverName(in: bytes + [23, 3, 3, 0, 1, 0]) == .found("shop.test"))
    }

    @Test func `a hello without a name has none`() throws {
        #expect(ClientHello.serverName(in: try hello("127.0.0.1")) == .none)
    }

    @Test func `a hello in many records is one`() throws {
        let bytes = try hello("shop.test")
        for size in [1, 3, 100] {
            var cut: [UInt8] = []
            var rest = bytes.dropFirst(5)
            while !rest.isEmpty {
                let part = rest.prefix(size)
                cut += [22, 3, 1, 0, UInt8(part.count)] + part
                rest = rest.dropFirst(size)
            }
            #expect(ClientHello.serverName(in: cut) == .found("shop.test"))
        }
    }

    /// A hello with other extensions, as browsers send them.
    private func hello(extensions: [UInt8]) -> [UInt8] {
        func sized(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * (size - 1 - $0))) } + bytes
        }
        // Version, random, session, cipher suites with a value of GREASE (RFC 8701), compression.
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + sized([], 1) + sized([0x1A, 0x1A, 0x13, 0x01], 2)
            + sized([0], 1) + sized(extensions, 2)
        var rest = ([1] + sized(body, 3))[...]
        var records: [UInt8] = []
        while !rest.isEmpty {
            records += [22, 3, 1] + sized(Array(rest.prefix(1 << 14)), 2)
            rest = rest.dropFirst(1 << 14)
        }
        return records
    }

    private static func named(_ hosts: String..., type: UInt8 = 0) -> [UInt8] {
        var list: [UInt8] = []
        for host in hosts { list += [type, 0, UInt8(host.utf8.count)] + Array(host.utf8) }
        return [0, 0, 0, UInt8(list.count + 2), 0, UInt8(list.count)] + list
    }

    private static let grease: [UInt8] = [0x0A, 0x0A, 0, 0]
    private static let last: [UInt8] = [0xFA, 0xFA, 0, 1, 0]
    /// Encrypted Client Hello: the name that can be read is the outer one (RFC 9849).
    private static let encrypted: [UInt8] = [0xFE, 0x0D, 0, 9, 0, 0, 1, 0, 1, 7, 0, 0, 0]
    /// A share of keys before the other extensions.
    private static func share(_ count: Int) -> [UInt8] {
        [0, 51, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 9, count: count)
    }

    @Test(
        arguments: [
            ("GREASE around", 0, grease + named("shop.test") + last, .found("shop.test")),
            ("capitals, as they were sent", 0, named("SHOP.Test"), .found("SHOP.Test")),
            ("the outer name of an encrypted hello", 0, encrypted + named("outer.test"), .found("outer.test")),
            ("an encrypted hello without an outer name", 0, encrypted, .none),
            ("keys of a post-quantum group before the name", 1216, named("shop.test"), .found("shop.test")),
            ("two records", 20_000, named("shop.test"), .found("shop.test")),
            ("no extension", 0, [], .none), ("GREASE alone", 0, grease, .none),
            ("two names in the list", 0, named("shop.test", "bank.test"), .none),
            ("the extension twice", 0, named("shop.test") + named("bank.test"), .none),
            ("another kind of name", 0, named("shop.test", type: 1), .none),
            ("an empty name", 0, named(""), .none), ("a space", 0, named("shop test"), .none),
            ("bytes behind", 0, named("shop.test") + [0], .none),
        ] as [(String, Int, [UInt8], ClientHello.Name)])
    func `the name is found among whatever extensions, and two are none`(
        _ example: (what: String, share: Int, extensions: [UInt8], name: ClientHello.Name)
    ) {
        let share = example.share > 0 ? Self.share(example.share) : []
        let found = ClientHello.serverName(in: hello(extensions: share + example.extensions))
        #expect(found == example.name, "\(example.what)")
    }

    @Test func `what is no hello has no name, and no byte of a hello can end the process`() throws {
        for bytes: [UInt8] in [
            [71, 69, 84], [22, 2, 0, 0, 1, 1], [22, 3, 1, 0, 0], [22, 3, 1, 0x40, 1], [22, 3, 1, 0, 4, 2, 0, 0, 0],
            [22, 3, 1, 0, 4, 1, 0, 0, 0],
        ] { #expect(ClientHello.serverName(in: bytes) == .none, "\(bytes)") }
        let bytes = try hello("shop.test")
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = value
                if case .found(let name) = ClientHello.serverName(in: changed) { #expect(name.utf8.count <= 255) }
            }
        }
    }
}
