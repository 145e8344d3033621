import Exchanges
import JSON
import Store
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct LogTests {
    /// What a log writer makes of exchanges; somebody reads only once all are handed over.
    private func written(
        _ exchanges: [Exchange], _ format: LogFormat, isBlocking: Bool = true
    ) async throws -> String {
        var ends: [CInt] = [0, 0]
        _ = pipe(&ends)
        if !isBlocking { _ = fcntl(ends[1], F_SETFL, O_NONBLOCK) }
        let (input, output) = (ends[0], ends[1])
        let writer = try LogWriter(descriptor: output, format: format)
        for exchange in exchanges { writer.exchangeEnded(exchange) }
        async let text = blocking { Self.all(of: input) }
        try await blocking {
            writer.finish()
            close(output)
        }
        defer { close(input) }
        return try await text
    }

    private func sample(url: String = "https://api.shop.test/v1/cart?q=ä") -> Exchange {
        var exchange = Exchange(
            startedAt: 1_700_000_000_123_456,
            client: .init(address: "127.0.0.1:5000", version: "HTTP/1.1", tls: "TLSv1.3"), method: "GET", url: url)
        exchange.status = 200
        exchange.profile = "local"
        exchange.route = "api.shop.test/v1/cart/*"
        exchange.origin = .init(
            url: "https://localhost:3000", address: "[::1]:3000", isReused: true, tls: "TLSv1.3", isResumed: false,
            trust: "disabled", trustDecision: "accepted unverified: self-signed certificate")
        exchange.timings.wait = 1200
        exchange.timings.total = 1500
        exchange.bytes.response = 3400
        return exchange
    }

    @Test func `a line for people says who responded and how the certificate was judged`() async throws {
        let line = try await written([sample()], .text(color: false))
        #expect(
            line.dropFirst(12)
                == " GET https://api.shop.test/v1/cart?q=ä 200 1.5ms ↑0B ↓3.4kB [local] → https://localhost:3000 trust=disabled unverified reused\n"
        )
    }

    @Test func `control characters of a peer never reach the terminal`() async throws {
        var exchange = sample(url: "https://a/\u{1b}[31m\n\r\u{9b}x")
        exchange.failure = .init(side: "origin", stage: "wait", message: "said \u{7}\u{1b}]0;x\u{7}")
        let line = try await written([exchange], .text(color: false))
        #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
    }

    @Test func `a line for machines is JSON with every fact`() async throws {
        let line = try await written([sample()], .json)
        let value = try JSONReader.read(line, dialect: .strict)
        #expect(value["time"]?.string == "2023-11-14T22:13:20.123Z")
        #expect(value["status"]?.number?.int64 == 200)
        #expect(value["origin"]?["trust_decision"]?.string == "accepted unverified: self-signed certificate")
        #expect(value["timings_us"]?["wait"]?.number?.int64 == 1200)
        #expect(value["timings_us"]?["dns"]?.isNull == true)
        #expect(value["bytes"]?["response"]?.number?.int64 == 3400)
        #expect(value["error"]?.isNull == true)
    }

    @Test func `lines of others stay whole beside a slow reader`() async throws {
        var ends: [CInt] = [0, 0]
        _ = pipe(&ends)
        let (input, output) = (ends[0], ends[1])
        let writer = try LogWriter(descriptor: output, format: .json)
        let long = sample(url: "https://a/" + String(repeating: "x", count: 9000))
        async let text = blocking { Self.all(of: input) }
        try await blocking {
            for number in 0..<400 {
                writer.exchangeEnded(long)
                if number % 20 == 0 { #expect(writer.write(line: Array("{\"event\": \(number)}\n".utf8))) }
            }
            writer.finish()
            // The caller may write by itself from now on.
            #expect(!writer.write(line: [0x0A]))
            close(output)
        }
        defer { close(input) }
        let lines = try await text.split(separator: "\n").map { try JSONReader.read(String($0), dialect: .strict) }
        #expect(lines.count == 420)
        #expect(lines.compactMap { $0["event"]?.number?.int64 } == stride(from: 0, to: 400, by: 20).map { Int64($0) })
    }

    @Test(arguments: [true, false])
    func `every line is written, in order`(isBlocking: Bool) async throws {
        let exchanges = (0..<5000).map { sample(url: "https://a/\($0)") }
        let lines = try await written(exchanges, .text(color: false), isBlocking: isBlocking).split(separator: "\n")
        #expect(lines.count == 5000)
        #expect(lines.enumerated().allSatisfy { $1.contains("https://a/\($0) ") })
    }

    @Test func `a reader that does not read costs lines, not memory, and is told how many`() async throws {
        let exchanges = (0..<40_000).map { sample(url: "https://a/\($0)") }
        let lines = try await written(exchanges, .json).split(separator: "\n")
        let dropped = lines.filter { $0.hasPrefix("{\"event\":\"dropped\"") }
            .compactMap { try? JSONReader.read(String($0))["lines"]?.number?.int64 }
        #expect(dropped.reduce(0, +) > 0)
        #expect(Int64(lines.count(where: { !$0.hasPrefix("{\"event\"") })) + dropped.reduce(0, +) == 40_000)
    }

    private static func all(of descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
