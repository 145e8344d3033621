import HTTP2
import TestSupport
import Testing

/// A stream's memory serves the next one of its connection, at either end of the proxy.
@Suite struct HTTP2ReuseTests {
    /// How a stream can come to its end.
    private enum Ending: CaseIterable {
        case plain, withTrailers, failed, early, left, tooLong
    }

    @Test func `a stream has nothing of the one before, however that ended`() async throws {
        let origin = ScriptedOrigin.http2 { peer, stream, _ in
            guard let head = stream.heads.first, !stream.isClosed, !stream.isComplete else { return }
            switch head.split(separator: " ")[1] {
            case "/failed": stream.stream?.reset(.internalError)
            case "/early": try peer.response(stream, "HTTP/1.1 413 X\r\n\r\n", body: "early")
            default:
                guard stream.stream?.hasEnded == true else { return }
                try peer.response(stream, HTTP2Case.ok, body: "\(stream.text)|\(stream.trailers ?? "")")
            }
        }
        defer { origin.stop() }
        let harness = try await HTTP2Case.start(origin)
        let port = harness.port
        try await blocking { () throws in
            let wire = try HTTP2Wire.connect(port)
            var number = 0
            for one in Ending.allCases {
                for next in Ending.allCases {
                    // Several at once, so that several are over at once.
                    try Self.ask(one, on: wire, &number)
                    try Self.ask(next, on: wire, &number)
                }
            }
        }
        await harness.stop()
        #expect(origin.connectionCount == 1)
    }

    private static func ask(_ ending: Ending, on wire: HTTP2Wire, _ number: inout Int) throws {
        let numbers = number..<number + 3
        number += 3
        switch ending {
        case .plain:
            let streams = try numbers.map { try wire.get("/\($0)") }
            for stream in streams { try expect(stream, on: wire, "200", "|") }
        case .withTrailers:
            let streams = try numbers.map { number in
                let stream = try wire.request(HTTP2Case.post, body: "content \(number)", ends: false)
                stream.end(trailers: "x: \(number)\r\n")
                return stream
            }
            for (stream, number) in zip(streams, numbers) {
                try expect(stream, on: wire, "200", "content \(number)|x: \(number)\r\n\r\n")
            }
        case .failed:
            let streams = try numbers.map { _ in try wire.get("/failed") }
            for stream in streams { try expect(stream, on: wire, "502", nil) }
        case .early:
            let head = "POST /early HTTP/1.1\r\nHost: a\r\n\r\n"
            let streams = try numbers.map { try wire.request(head, body: "content \($0)", ends: false) }
            for stream in streams { try expect(stream, on: wire, "413", "early") }
        case .left:
            let streams = try numbers.map { try wire.request(HTTP2Case.post, body: "\($0)", ends: false) }
            try wire.flush()
            for stream in streams { stream.stream?.reset(.cancel) }
            try wire.flush()
        case .tooLong:
            let field = "X: \(String(repeating: "x", count: 40 << 10))\r\n"
            let streams = try numbers.map { try wire.get("/\($0)", fields: field) }
            for stream in streams { try expect(stream, on: wire, "431", nil) }
        }
    }

    private static func expect(
        _ stream: HTTP2Recorder, on wire: HTTP2Wire, _ status: String, _ body: String?
    ) throws {
        try wire.finish(stream)
        #expect(stream.heads.count == 1 && stream.heads[0].hasPrefix("HTTP/1.1 \(status) "))
        if let body { #expect(stream.text == body) }
    }
}
