import HTTP2
import TestSupport
import Testing

/// What sessions take from the memory that they share.
@Suite struct MemoryTests {
    /// From what is kept by size to what is the system's, and both sides of each border.
    private static let lengths = [0, 1, 47, 48, 49, 63, 64, 65, 1007, 1023, 1024, 1025, 4000, 12_000]

    private static func head(_ length: Int) -> String {
        "GET /\(length) HTTP/1.1\r\nhost: a\r\nx-fill: \(String(repeating: "v", count: length))\r\n\r\n"
    }

    @Test func `fields of any length stay whole, whichever session ends first`() throws {
        let memory = HTTP2Memory()
        let lasting = try Pair(memory: memory)
        for round in 0..<4 {
            let brief = try Pair(memory: memory)
            for length in Self.lengths {
                for pair in [lasting, brief] {
                    let (client, server) = try pair.open(Self.head(length))
                    #expect(server.heads == [Self.head(length)])
                    let fill = String(repeating: "w", count: length)
                    try pair.server.response(
                        server, "HTTP/1.1 200 OK\r\nx-fill: \(fill)\r\n\r\n", body: "\(round)")
                    try pair.talk()
                    #expect(client.heads == ["HTTP/1.1 200 \r\nx-fill: \(fill)\r\n\r\n"] && client.text == "\(round)")
                }
            }
        }
    }

    @Test func `many streams at once are more than is kept, and all are answered`() throws {
        var limits = HTTP2Limits()
        limits.streams = 900
        let pair = try Pair(limits: limits, memory: HTTP2Memory())
        for _ in 0..<3 {
            let open = try (0..<900).map { try pair.open(Self.head($0 % 700)) }
            for (_, server) in open { try pair.server.response(server, "HTTP/1.1 204 No Content\r\n\r\n") }
            try pair.talk()
            #expect(open.allSatisfy { $0.client.heads == ["HTTP/1.1 204 \r\n\r\n"] })
        }
    }
}
