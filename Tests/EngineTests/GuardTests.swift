import Engine
import TestSupport
import Testing

/// Production is read-only.
@Suite struct GuardTests {
    private func ask(
        _ port: UInt16, _ method: String, _ path: String, _ fields: String = "", _ content: String = ""
    ) async throws -> (head: String, body: String) {
        try await blocking {
            let client = try RawConnection.connect(port)
            let length = content.isEmpty ? "" : "Content-Length: \(content.utf8.count)\r\n"
            try client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\(length)Connection: close\r\n\r\n\(content)")
            return (try client.readHead(), method == "HEAD" ? "" : try client.readToEnd())
        }
    }

    private static let json = "Content-Type: application/json\r\n"

    @Test(arguments: [
        ("GET", "/", "", "", true), ("HEAD", "/", "", "", true), ("OPTIONS", "/", "", "", true),
        ("POST", "/", "", "x", false), ("PUT", "/", "", "x", false), ("DELETE", "/", "", "", false),
        ("PATCH", "/", "", "x", false), ("BREW", "/", "", "", false), ("get", "/", "", "", false),
        // What the route lets through.
        ("POST", "/search", "", "x", true), ("PUT", "/search", "", "x", false),
        // GraphQL.
        ("POST", "/graphql", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/v1/GraphQL", json, #"{"query": "mutation { buy }"}"#, false),
        ("POST", "/api", json, #"{"query": "{ me }"}"#, false), ("POST", "/shop", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/graphql", "", #"{"query": "{ me }"}"#, false),
        ("PUT", "/graphql", json, #"{"query": "{ me }"}"#, false),
        // gRPC and WebSockets.
        ("POST", "/rpc", "Content-Type: application/grpc+proto\r\n", "x", false),
        ("POST", "/free", "Content-Type: application/grpc\r\n", "x", true),
        ("GET", "/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n", "", false),
        ("GET", "/free", "Connection: Upgrade\r\nUpgrade: websocket\r\n", "", true),
        // What is let through is a call or a WebSocket, not whatever says that it is one.
        ("DELETE", "/free", "Connection: Upgrade\r\nUpgrade: websocket\r\n", "", false),
        ("POST", "/free", "Connection: Upgrade\r\nUpgrade: websocket\r\n", "x", false),
        ("DELETE", "/free", "Content-Type: application/grpc\r\n", "", false),
        ("DELETE", "/search", "Content-Type: application/grpc\r\n", "", false),
        ("POST", "/search", "X-HTTP-Method-Override: delete\r\n", "x", false),
        ("POST", "/search", "X-HTTP-Method-Override: GET\r\n", "x", true),
        // HTTP/2 is offered by some clients with every request, and never taken.
        ("GET", "/", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n", "", true),
        // Servers prefer what the URL says.
        ("POST", "/graphql?query=mutation%7Bbuy%7D", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql?a=b&operation%4eame=B", json, #"{"query": "{ me }"}"#, false),
        (
            "POST", "/graphql", json + "Content-Type: application/x-www-form-urlencoded\r\n", #"{"query": "{ me }"}"#,
            false
        ),
        ("POST", "/graphql?op=Me", json, #"{"query": "{ me }"}"#, true),
    ])
    func `what may change something needs leave`(
        method: String, path: String, fields: String, content: String, passes: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let profile = """
            {"kind": "production", "routes": [
              {"origin": "\(origin.url)"},
              {"path": "/search", "origin": "\(origin.url)", "allow": ["POST"]},
              {"path": "/shop", "origin": "\(origin.url)", "graphql": true},
              {"path": "/free", "origin": "\(origin.url)", "allow": ["grpc", "websocket"]}]}
            """
        let harness = try await Harness.start(profiles: ["production": profile], active: "production")
        let answer = try await ask(harness.port, method, path, fields, content)
        #expect(answer.head.hasPrefix(passes ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(answer)")
        #expect(origin.received.count == (passes ? 1 : 0))
        if passes {
            if !content.isEmpty { #expect(origin.received.first?.hasSuffix(content) == true) }
        } else {
            #expect(answer.head.contains("Content-Type: application/problem+json\r\n"))
            if method != "HEAD" { #expect(answer.body.contains("shunt unlock production --for 10m --reason")) }
        }
        await harness.stop()
    }

    @Test func `whoever gets a route from production is held to it, by whichever way`() async throws {
        let origin = ChainTests.Named("done")
        let dead = ScriptedOrigin.closedPort()
        let harness = try await Harness.start(
            profiles: [
                "production": #"{"kind": "production", "routes": [{"host": "*", "origin": "\#(origin.url)"}]}"#,
                "heir": #"{"kind": "local", "extends": "production", "routes": []}"#,
                "chain": """
                {"kind": "local", "routes": [
                  {"origin": ["http://127.0.0.1:\(dead)", "profile:production"]}, {"path": "/mock", "mock": {}}]}
                """,
                "mocked": #"{"kind": "production", "routes": [{"mock": {"text": "hi"}}]}"#,
            ], active: "production")
        for profile in ["production", "heir", "chain"] {
            let field = "Shunt-Profile: \(profile)\r\n"
            #expect(try await ask(harness.port, "POST", "/", field, "x").head.hasPrefix("HTTP/1.1 403 "), "\(profile)")
            #expect(try await ask(harness.port, "GET", "/", field).head.hasPrefix("HTTP/1.1 200 "), "\(profile)")
        }
        #expect(
            try await ask(harness.port, "POST", "/", "Shunt-Profile: mocked\r\n", "x").head.hasPrefix("HTTP/1.1 200 "))
        #expect(origin.received.allSatisfy { $0.hasPrefix("GET ") })
        await harness.stop()
    }
}
