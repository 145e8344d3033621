import Bytes
import Engine
import Exchanges
import Testing

/// Origins that break RFC 9112: what they send goes on in its proper form, and is noted.
@Suite struct SloppyOriginTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func profile(_ more: String, kind: String = "local") -> String {
        #"{"kind": "\#(kind)", "routes": [{"origin": "http://origin.test"\#(more)}]}"#
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sent: String
        let head: String
        let rest: String

        init(_ why: String, _ sent: String, _ head: String, _ rest: String) {
            (testDescription, self.sent, self.head, self.rest) = (why, sent, head, rest)
        }
    }

    static let rows = [
        Row(
            "LF alone", "HTTP/1.1 200 OK\nA: b\nContent-Length: 3\n\nxyz", "HTTP/1.1 200 OK\r\nA: b\r\n", "\r\n\r\nxyz"),
        Row(
            "white space before a colon", "HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 3\r\n\r\nxyz",
            "HTTP/1.1 200 OK\r\nA: b\r\n", "\r\n\r\nxyz"),
        Row(
            "two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nxyz", "HTTP/1.1 200 OK\r\n",
            "\r\n\r\nxyz"),
        Row(
            "length and coding",
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n", "\r\n\r\n3\r\nxyz\r\n0\r\n\r\n"),
        Row(
            "chunked twice",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n", "\r\n\r\n3\r\nxyz\r\n0\r\n\r\n"),
        Row(
            "204 with chunks", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n", "\r\n\r\n"),
        Row(
            "chunks that end with LF",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\nxyz\n2  \r\nab\r\n0\n\n",
            "HTTP/1.1 200 OK\r\n", "\r\n\r\n3\r\nxyz\r\n2\r\nab\r\n0\r\n\r\n"),
    ]

    @Test(arguments: rows, [false, true])
    func `a sloppy response goes on in its proper form, and its connection is not used again`(
        row: Row, inBytes: Bool
    ) async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect(Self.get)
            let origin = try worker.origins.channel(0)
            if inBytes {
                for byte in row.sent.utf8 {
                    origin.receive([byte])
                    await worker.settle()
                }
            } else {
                origin.receive(row.sent)
                await worker.settle()
            }
            let text = client.text
            #expect(
                text.hasPrefix(row.head)
                    && (inBytes && row.rest.contains("xyz") && row.rest.contains("0") || text.hasSuffix(row.rest)))
            #expect(worker.log.exchanges.count == 1 && worker.log.exchanges[0].failure == nil)
            #expect(worker.log.exchanges[0].originSent.isEmpty == false && !origin.isOpen)
            client.receive(Self.get)
            await worker.settle()
            #expect(worker.origins.channels.count == 2)
        }
    }

    @Test(arguments: rows)
    func `a strict route refuses it`(row: Row) async throws {
        let profile = Self.profile(#", "strict": true"#)
        try await MemoryWorker.run(profile: profile) { worker in
            let client = await worker.connect(Self.get)
            try worker.origins.channel(0).receive(row.sent)
            await worker.settle()
            let isBody = row.testDescription.hasPrefix("chunks")
            let text = client.text
            #expect(isBody ? !text.hasSuffix("0\r\n\r\n") : text.hasPrefix("HTTP/1.1 502 "))
            #expect(worker.log.exchanges.first?.failure != nil && worker.log.exchanges.first?.originSent == [])
        }
    }

    @Test(arguments: ["0\r\n", "0\r\nX-Sum: 1\r\n"])
    func `a body whose last chunk has come is complete, also without the empty line behind it`(end: String) async throws
    {
        for isStrict in [false, true] {
            try await MemoryWorker.run(profile: Self.profile(#", "strict": \#(isStrict)"#)) { worker in
                let client = await worker.connect(Self.get)
                let origin = try worker.origins.channel(0)
                origin.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n" + end)
                origin.receiveEnd()
                await worker.settle()
                #expect(client.text.hasSuffix("3\r\nxyz\r\n0\r\n\r\n") == !isStrict)
                #expect(worker.log.exchanges.first?.originSent.isEmpty == isStrict)
            }
        }
    }

    @Test(arguments: [600, 799, 999])
    func `a status above 599 goes on, but for a strict route`(status: Int) async throws {
        for isStrict in [false, true] {
            let profile = Self.profile(#", "strict": \#(isStrict)"#)
            try await MemoryWorker.run(profile: profile) { worker in
                let client = await worker.connect(Self.get)
                try worker.origins.channel(0).receive("HTTP/1.1 \(status) Own\r\nContent-Length: 0\r\n\r\n")
                await worker.settle()
                #expect(client.text.hasPrefix("HTTP/1.1 \(isStrict ? 502 : status) "))
            }
        }
    }

    @Test func `a head of 200 kB and a thousand fields goes on, a larger one does not`() async throws {
        for (count, size, status) in [(990, 100, 200), (1_001, 10, 502), (300, 1_000, 502), (180, 1_000, 200)] {
            try await MemoryWorker.run { worker in
                let client = await worker.connect(Self.get)
                let fields = (0..<count).map { "X-\($0): \(String(repeating: "x", count: size))\r\n" }.joined()
                try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 3\r\n\r\nxyz")
                await worker.settle()
                let text = client.text
                #expect(text.hasPrefix("HTTP/1.1 \(status) "))
                if status == 200 {
                    #expect(text.contains(fields) && text.hasSuffix("\r\n\r\nxyz"))
                } else {
                    #expect(!text.contains("--head-size"))
                }
            }
        }
    }

    @Test func `what is no HTTP is refused at once`() async throws {
        for text in [
            "SSH-2.0-OpenSSH_9.2\r\n", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}",
            "220 mail ESMTP\r\n", "<html><head></head>",
        ] {
            try await MemoryWorker.run { worker in
                let client = await worker.connect(Self.get)
                try worker.origins.channel(0).receive(text)
                await worker.settle()
                #expect(client.text.hasPrefix("HTTP/1.1 502 "))
            }
        }
    }

    // MARK: Requests

    @Test func `bytes above 0x7F in path and query go on as they are`() async throws {
        try await MemoryWorker.run { worker in
            let client = await worker.connect()
            client.receive(
                Array("GET /caf".utf8) + [0xE9, 0x2F, 0xC3, 0xA9] + Array("?q=".utf8) + [0xFF]
                    + Array(" HTTP/1.1\r\nHost: a\r\nCookie: a=\u{1}b\u{7F}\r\n\r\n".utf8))
            await worker.settle()
            let sent = try worker.origins.channel(0).takeSent()
            let line = Array("GET /caf".utf8) + [0xE9, 0x2F, 0xC3, 0xA9] + Array("?q=".utf8) + [0xFF]
            #expect(
                sent.starts(with: line) && String(decoding: sent, as: UTF8.self).contains("Cookie: a=\u{1}b\u{7F}\r\n"))
        }
    }

    @Test(arguments: [
        ("local", "", true), ("staging", "", false), ("staging", #", "forwarded": true"#, true),
        ("local", #", "forwarded": false"#, false),
    ])
    func `a local origin is told how the client named Shunt`(kind: String, key: String, isTold: Bool) async throws {
        let profile = Self.profile(key, kind: kind)
        try await MemoryWorker.run(profile: profile) { worker in
            _ = await worker.connect("GET / HTTP/1.1\r\nHost: shop.test:8080\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n")
            let sent = try worker.origins.channel(0).text
            #expect(sent.contains("X-Forwarded-Host: shop.test:8080\r\n") == isTold)
            #expect(sent.contains("X-Forwarded-Proto: http\r\n") == isTold)
            #expect(sent.contains("X-Forwarded-For: 10.0.0.1, ") == isTold)
            #expect(sent.contains("Via: 1.1 shunt\r\n"))
        }
    }

    @Test func `Via can be left out`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#", "via": false"#)) { worker in
            _ = await worker.connect(Self.get)
            let sent = try worker.origins.channel(0).text
            #expect(!sent.contains("Via:"))
        }
    }
}
