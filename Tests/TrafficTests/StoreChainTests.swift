import Exchanges
import Filter
import Foundation
import Inspection
import Redaction
import Store
import TestSupport
import Testing

/// What origins have shown of themselves stands in the store once.
@Suite(.bothStores) struct StoreChainTests {
    private static func chain(_ number: Int, subject: String? = nil) -> CertificateChain {
        CertificateChain(
            name: String(repeating: "\(number % 10)", count: 32),
            certificates: [
                .init(
                    subject: subject ?? "CN=api\(number).shop.test", issuer: "CN=CA \(number)",
                    notAfter: "2027-01-0\(number % 9 + 1)T00:00:00Z", publicKey: "sha256/\(number)="),
                .init(
                    subject: "CN=CA \(number)", issuer: "CN=CA \(number)", notAfter: "2030-01-01T00:00:00Z",
                    publicKey: "sha256/ca\(number)="),
            ])
    }

    private static func exchange(_ chain: CertificateChain?, _ client: Int = 1) -> Exchange {
        var exchange = Pieces.exchange(url: "https://api.shop.test/")
        exchange.client.address = "192.0.2.\(client):1000"
        exchange.origin = .init(
            url: "https://api.shop.test", tls: "TLSv1.3", trust: "default", trustDecision: "verified")
        exchange.origin?.trustRule = "*.shop.test (Profiles/local.json:7)"
        exchange.origin?.chain = chain?.name
        return exchange
    }

    /// The number of certificates in the store.
    private func rows(_ reader: TrafficReader) throws -> Int {
        for count in 0...50
        where try reader.count(
            where: StoreCondition(
                "id = (SELECT max(id) FROM exchange) AND (SELECT count(*) FROM certificate) = \(count)"))
            == 1
        {
            return count
        }
        return -1
    }

    @Test func `a chain is kept once, found by each exchange, and goes with the last one`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.gathering = 20 }
        let (first, second) = (Self.chain(1), Self.chain(2))
        store.know(first)
        store.know(second)
        // In several transactions, with several contexts in each.
        for number in 1...30 {
            _ = store.offer(
                Pieces.whole(UInt64(number), Self.exchange(number == 30 ? second : first, number)))
            if number % 10 == 0 { #expect(eventually { store.statistics.recorded == UInt64(number) }) }
        }
        _ = store.offer(Pieces.whole(31, Self.exchange(nil)))
        _ = store.offer(Pieces.whole(32, Self.exchange(Self.chain(3))))
        #expect(eventually { store.statistics.recorded == 32 })
        let reader = try TrafficReader(bench.path)
        for id in 1...30 {
            let record = try #require(try reader.record(Int64(id)))
            #expect(record.certificates == (id == 30 ? second : first).certificates)
            #expect(record.summary.exchange.origin?.trustRule == "*.shop.test (Profiles/local.json:7)")
        }
        // One without, and one whose chain the store was not told of.
        for id in 31...32 { #expect(try reader.record(Int64(id))?.certificates == []) }
        #expect(try rows(reader) == 4)
        let eraser = try TrafficEraser(bench.path)
        #expect(try eraser.remove(TrafficFilter("~id 30")) == 1)
        #expect(try rows(reader) == 2)
        #expect(try eraser.remove(TrafficFilter("~id 1 | ~id 2")) == 2)
        #expect(try reader.record(3)?.certificates == first.certificates)
        store.write(within: 60_000)
        _ = try TrafficEraser.removeAll(bench.path)
        // The connection goes on, and does not tell of its chain again.
        _ = store.offer(Pieces.whole(40, Self.exchange(first)))
        store.finish()
        let newest = try #require(try reader.newest())
        #expect(try reader.record(newest)?.certificates == first.certificates)
        #expect(try rows(reader) == 2)
    }

    @Test func `names that an origin chose are bounded and lose their secrets`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.filter = { RecordingRedaction(key: $0, rules: RedactionRules()) } }
        let secret = "zq7marked0123456789"
        let chain = CertificateChain(
            name: String(repeating: "a", count: 32),
            certificates: (0..<40).map { _ in
                .init(
                    subject: "CN=password=\(secret)", issuer: String(repeating: "x", count: 5000),
                    notAfter: "2027-01-01T00:00:00Z", publicKey: "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            })
        store.know(chain)
        _ = store.offer(Pieces.whole(1, Self.exchange(chain)))
        store.finish()
        let found = try #require(try TrafficReader(bench.path).record(1)).certificates
        #expect(found.count == 10)
        for certificate in found {
            #expect(!certificate.subject.contains(secret) && certificate.subject.contains("redacted"))
            #expect(certificate.issuer.utf8.count < 200)
            #expect(certificate.publicKey == chain.certificates[0].publicKey)
        }
        #expect(try bench.stored().allSatisfy { $0.range(of: Data(secret.utf8)) == nil })
    }
}
