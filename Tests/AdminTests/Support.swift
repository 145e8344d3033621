import Admin
import Engine
import Foundation
import Profiles
import Reactor
import TestSupport
import Testing

/// Three environments, none of which responds anything.
func environments() throws -> ProfileLibrary {
    try ProfileLibrary.load(
        files: ["local", "production", "staging"].map {
            (path: "Profiles/\($0).json", bytes: Array(#"{"kind": "\#($0)", "routes": []}"#.utf8))
        })
}

/// The pages; clients are where a test says they are.
struct ShownPages: Handler {
    let pages: any Handler
    /// The address that clients have; their own with nil.
    var client: SocketAddress?

    func response(_ request: HandledRequest) async -> HandledResponse {
        await pages.response(
            HandledRequest(
                method: request.method, target: request.target, authority: request.authority, fields: request.fields,
                body: request.body, client: client ?? request.client, isSecure: request.isSecure))
    }
}

/// A proxy whose every response is a handler's, and a client's requests to it.
struct Asked {
    let proxy: Proxy
    var port: UInt16 { proxy.addresses[0].port }

    init(_ handler: any Handler) async throws {
        proxy = try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)]), handler: handler)
    }

    /// A response, cut up.
    struct Response {
        let status: String
        let head: String
        let body: String

        /// The value of a field, exactly as sent.
        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }

        /// `shunt-device=TOKEN` of the cookie that is set.
        var cookie: String? { field("Set-Cookie").flatMap { $0.split(separator: ";").first }.map(String.init) }
    }

    func get(_ target: String, _ fields: String = "") async throws -> Response {
        try await send("GET \(target) HTTP/1.1\r\nHost: app.test:1\r\n\(fields)")
    }

    /// A form as a browser sends it from the page itself.
    func post(_ target: String, _ body: String, _ fields: String = "Origin: http://app.test:1\r\n") async throws
        -> Response
    {
        try await send(
            "POST \(target) HTTP/1.1\r\nHost: app.test:1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(body.utf8.count)\r\nUser-Agent: Mozilla/5.0 (iPhone; x)\r\n\(fields)", body)
    }

    /// What the forms carry that are made for a device.
    func key(_ cookie: String) async throws -> String {
        let page = try await get("/", "Cookie: \(cookie)\r\n")
        return try #require(page.body.firstMatch(of: /name="key" value="([0-9a-f]+)"/).map { String($0.1) })
    }

    func send(_ head: String, _ body: String = "") async throws -> Response {
        let port = port
        let text = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(head + "Connection: close\r\n\r\n" + body)
            return try client.readToEnd()
        }
        let end = text.range(of: "\r\n\r\n")
        return Response(
            status: String(text.dropFirst(9).prefix(3)), head: String(text[..<(end?.lowerBound ?? text.endIndex)]),
            body: end.map { String(text[$0.upperBound...]) } ?? "")
    }

    func stop() async {
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }
}
