import TestSupport
import Testing

/// WebSockets in HTTP/1.1 and on streams of HTTP/2 (RFC 8441), bridged either way.
@Suite(.serialized, .enabled(if: ClientProgram.hasPython, "websockets \(ClientProgram.hint)"))
struct WebSocketClientTests {
    /// The client's version and scheme, and which port of the server.
    struct Way: CustomTestStringConvertible, Sendable {
        let version: String
        let tls: Bool
        let origin: String
        var testDescription: String { "\(version)\(tls ? " in TLS" : "") to \(origin)" }

        static let usual = [
            Way(version: "h1", tls: true, origin: "http"), Way(version: "h1", tls: false, origin: "https"),
            Way(version: "h2", tls: true, origin: "h2"), Way(version: "h2", tls: false, origin: "h2c"),
        ]
        static let all = ["h1", "h2"].flatMap { version in
            [true, false].flatMap { tls in
                ["http", "https", "h2c", "h2"].map { Way(version: version, tls: tls, origin: $0) }
            }
        }
    }

    private static let cases = [
        "text and bytes", "many at once, in order", "large", "permessage-deflate", "pings of the client",
        "the client closes", "the server closes", "fields and subprotocol", "many connections", "pings of the server",
    ]
    private static let casesOfStreams = [
        "a key that RFC 8441 has no use for is answered, as undici expects", "without a key there is no digest",
        "no other protocol is taken for a WebSocket",
    ]

    @Test(arguments: Circle.isWhole ? Way.all : Way.usual)
    func `messages, pings, compression and close codes go through as they are`(way: Way) throws {
        let server = try ServerProgram(ClientProgram.python("websocket_server.py"))
        let shunt = try server.shunt(way.origin)
        // Where ALPN decides, a WebSocket gets a connection of HTTP/1.1 unless there is one that takes it as a stream.
        if way.origin == "h2" { #expect(try shunt.curl(shunt.address(tls: true)).status == 0) }
        try ClientProgram.expect(
            Self.cases + (way.version == "h2" ? Self.casesOfStreams : []),
            of: ClientProgram.python(
                "websocket_client.py", way.version, shunt.address(tls: way.tls, scheme: "ws"), shunt.authority))
    }
}
