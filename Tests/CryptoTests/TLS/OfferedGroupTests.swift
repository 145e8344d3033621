import Bytes
import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What origins are offered, by the bytes of the ClientHello.
@Suite struct OfferedGroupTests {
    @Test func `the groups are those of Mozilla's intermediate profile, without P-521`() throws {
        let sockets = Sockets()
        let context = try ClientContext(policy: .none)
        let client = try End(sockets.left) {
            try Session(client: context, readiness: $0, host: "shop.test", resumption: nil)
        }
        client.wake()
        _ = try client.session.handshake()
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = read(sockets.right, &bytes, bytes.count)
        let offered = try #require(groups(in: Array(bytes.prefix(max(0, count)))))
        // X25519, secp256r1 and secp384r1 (RFC 8446 4.2.7); secp521r1 is 0x0019.
        #expect(offered == [0x001D, 0x0017, 0x0018])
    }

    /// The entries of `supported_groups`: RFC 8446 4.1.2 says where the extensions begin.
    private func groups(in record: [UInt8]) -> [Int]? {
        func number(_ at: Int) -> Int? {
            at + 1 < record.count ? Int(record[at]) << 8 | Int(record[at + 1]) : nil
        }
        // Behind the headers of record and message, the version and the random.
        var at = 5 + 4 + 2 + 32
        guard at < record.count else { return nil }
        at += 1 + Int(record[at])
        guard let suites = number(at) else { return nil }
        at += 2 + suites
        guard at < record.count else { return nil }
        at += 1 + Int(record[at]) + 2
        while let type = number(at), let length = number(at + 2) {
            if type == 10 { return stride(from: at + 6, to: at + 4 + length, by: 2).compactMap { number($0) } }
            at += 4 + length
        }
        return nil
    }
}
