import Engine
import TestSupport
import Testing

/// Production is read-only.
@Suite struct GuardTests {
    private static let json = "Content-Type: application/json\r\n"

    private static let requests: [(String, String, String, String, Bool)] = [
        ("GET", "/", "", "", true), ("HEAD", "/", "", "", true), ("OPTIONS", "/", "", "", true),
        ("POST", "/", "", "x", false), ("PUT", "/", "", "x", false), ("DELETE", "/", "", "", false),
        ("PATCH", "/", "", "x", false), ("BREW", "/", "", "", false), ("get", "/", "", "", false),
        // What the route lets through.
        ("POST", "/search", "", "x", true), ("PUT", "/search", "", "x", false),
        // GraphQL.
        ("POST", "/graphql", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/v1/graphql", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/api/v2/graphql/", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/v1/graphql", json, #"{"query": "mutation { buy }"}"#, false),
        // Paths that lead elsewhere, or may.
        ("POST", "/graphql/../v1/delete", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql/%2e%2e/v1/delete", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/v1/delete;/graphql", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/v1/../graphql", json, #"{"query": "{ me }"}"#, false),
        ("POST", "//graphql", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/v1/customers/graphql", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql/v1/delete", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/GraphQL", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql%2f..%2fdelete", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql;a=b", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/based/graphql", json, #"{"query": "{ me }"}"#, false),
        // What is in the URL of a GET, and in fields.
        ("GET", "/graphql", "", "", true), ("GET", "/graphql?query=%7Bme%7D", "", "", true),
        ("HEAD", "/shop?query=query+A%7Ba%7Dmutation+B%7Bb%7D&operationName=A", "", "", true),
        ("GET", "/graphql?query=mutation%7Bbuy%7D", "", "", false),
        ("GET", "/graphql?query=query+A%7Ba%7Dmutation+B%7Bb%7D&operationName=B", "", "", false),
        ("GET", "/graphql?Query=mutation%7Bbuy%7D", "", "", false), ("GET", "/graphql?id=7", "", "", false),
        ("GET", "/graphql?query[]=%7Bme%7D", "", "", false), ("GET", "/graphql?doc_id=7", "", "", false),
        ("GET", "/graphql?query=%7Bme%7D&query=mutation%7Bbuy%7D", "", "", false),
        ("GET", "/graphql?query=%7Bme%7D&extensions=%7B%22persistedQuery%22:%7B%7D%7D", "", "", false),
        ("GET", "/graphql?query=%7Bme%7D&extensions=%7B%22client%22:%7B%7D%7D", "", "", true),
        ("GET", "/graphql", json, #"{"query": "mutation { buy }"}"#, false),
        ("GET", "/graphql", json, #"{"query": "{ me }"}"#, true),
        ("POST", "/graphql", json + "X-Apollo-Operation-Name: Me\r\n", #"{"query": "query Me { me }"}"#, true),
        ("POST", "/graphql", json + "X-APOLLO-OPERATION-NAME: Buy\r\n", #"{"query": "query Me { me }"}"#, false),
        ("POST", "/graphql", json + "X-Persisted-Query-Id: 7\r\n", #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql", json + "Content-Encoding: gzip\r\n", #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql", json + "Content-Encoding: identity\r\n", #"{"query": "{ me }"}"#, true),
        ("POST", "/graphql", json + "X-HTTP-Method-Override: DELETE\r\n", #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql?_method=DELETE", json, #"{"query": "{ me }"}"#, false),
        ("POST", "/graphql", json, "", false),
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
        // It may name an operation.
        ("POST", "/graphql?op=Me", json, #"{"query": "{ me }"}"#, false),
    ]

    @Test(arguments: requests)
    func `what may change something needs leave`(
        method: String, path: String, fields: String, body: String, passes: Bool
    ) async throws {
        let origin = ChainTests.Named("done")
        let profile = """
            {"kind": "production", "routes": [
              {"origin": "\(origin.url)"},
              {"path": "/search", "origin": "\(origin.url)", "allow": ["POST"]},
              {"path": "/shop", "origin": "\(origin.url)", "graphql": true},
              {"path": "/based/*", "origin": "\(origin.url)/v1/customers"},
              {"path": "/free", "origin": "\(origin.url)", "allow": ["grpc", "websocket"]}]}
            """
        let harness = try await Harness.start(profiles: ["production": profile], active: "production")
        let response = try await askOnce(harness.port, method, path, fields, body)
        #expect(response.head.hasPrefix(passes ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(response)")
        #expect(origin.received.count == (passes ? 1 : 0))
        if passes {
            if !body.isEmpty { #expect(origin.received.first?.hasSuffix(body) == true) }
        } else {
            #expect(response.head.contains("Content-Type: application/problem+json\r\n"))
            if method != "HEAD" { #expect(response.body.contains("shunt unlock production --for 10m --reason")) }
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
            #expect(
                try await askOnce(harness.port, "POST", "/", field, "x").head.hasPrefix("HTTP/1.1 403 "), "\(profile)")
            #expect(try await askOnce(harness.port, "GET", "/", field).head.hasPrefix("HTTP/1.1 200 "), "\(profile)")
        }
        #expect(
            try await askOnce(harness.port, "POST", "/", "Shunt-Profile: mocked\r\n", "x").head.hasPrefix(
                "HTTP/1.1 200 "))
        #expect(origin.received.allSatisfy { $0.hasPrefix("GET ") })
        await harness.stop()
    }
}
