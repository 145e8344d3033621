import Engine
import TestSupport
import Testing

/// Heads and content on both sides of the borders between small and large memory.
@Suite struct HTTP2SizeTests {
    private static let sizes = Circle.values(
        [0, 3071, 3072, 3073, 16_385, 70_000], andAll: [1, 2047, 2049, 2900, 6145])

    private static func body(_ size: Int) -> String {
        String(decoding: (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 23) }, as: UTF8.self)
    }

    /// Responses with a head and content of the sizes that the path names, in pieces, and says how long its own was.
    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            while let head = try? connection.readHead() {
                let words = head.split(separator: " ")[1].split(separator: "/")
                let (fill, size, isChunked) = (Int(words[0]) ?? 0, Int(words[1]) ?? 0, words[2] == "chunks")
                let body = body(size)
                let filled = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-fill:") }
                var response =
                    "HTTP/1.1 200 OK\r\nX-Seen: \((filled?.utf8.count ?? 8) - 8)\r\n"
                    + "X-Fill: \(String(repeating: "f", count: fill))\r\n"
                if isChunked {
                    response += "Transfer-Encoding: chunked\r\n\r\n"
                    var rest = body[...]
                    while !rest.isEmpty {
                        let piece = rest.prefix(1021)
                        rest = rest.dropFirst(1021)
                        response += ClientKind.chunks(String(piece))
                    }
                    response += "0\r\n\r\n"
                } else {
                    response += "Content-Length: \(size)\r\n\r\n\(body)"
                }
                var rest = Array(response.utf8)[...]
                while !rest.isEmpty {
                    try connection.send(Array(rest.prefix(2500)))
                    rest = rest.dropFirst(2500)
                }
            }
        }
    }

    @Test(arguments: OriginKind.allCases)
    func `what is longer than the first memory arrives whole`(kind: OriginKind) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let stage = try await kind.start(origin)
        let port = stage.port
        try await blocking { () throws in
            for form in ["length", "chunks"] {
                for fill in Circle.values([0, 2900, 20_000], andAll: [3100]) {
                    for size in Self.sizes {
                        let seen = try ClientKind.h2c.ask(
                            port, "GET", "/\(fill)/\(size)/\(form)",
                            fields: "X-Fill: \(String(repeating: "r", count: fill))\r\n")
                        #expect(seen["x-fill"]?.utf8.count == fill && seen["x-seen"] == "\(fill)")
                        #expect(seen.body == Self.body(size), "\(form) \(fill) \(size)")
                    }
                }
            }
        }
        await stage.stop()
    }
}
