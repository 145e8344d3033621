import TestSupport
import Testing

/// grpcio's client and grpcio's server with Shunt between them.
@Suite(.serialized, .enabled(if: ClientProgram.hasPython, "grpcio \(ClientProgram.hint)"))
struct GRPCTests {
    private static let cases = [
        "unary", "client streaming", "server streaming",
        "bidirectional: each message is seen before the next one is sent", "big messages", "status codes",
        "a status after messages", "a method that is not there", "metadata", "a deadline reaches the server",
        "a deadline that passes", "a cancellation is seen by the server", "many calls at once",
        "a stream goes on while others come and go",
    ]

    @Test(arguments: Circle.values([(true, "https"), (false, "h2c")], andAll: [(true, "h2c"), (false, "https")]))
    func `calls of every kind, in TLS and in plain text on either side`(tls: Bool, kind: String) throws {
        let server = try ServerProgram(ClientProgram.python("grpc_server.py"))
        let shunt = try server.shunt(kind)
        let client =
            tls
            ? ClientProgram.python("grpc_client.py", "localhost:\(shunt.port)", shunt.authority)
            : ClientProgram.python("grpc_client.py", "127.0.0.1:\(shunt.port)")
        try ClientProgram.expect(Self.cases, of: client)
    }

    /// Routes beside which bodies are held: a chain that could ask another origin, and a mock that looks into JSON.
    @Test(arguments: ["chain", "match"])
    func `calls of every kind, where other requests are read ahead`(kind: String) throws {
        let server = try ServerProgram(ClientProgram.python("grpc_server.py"))
        let origin = server.address("h2c")
        let routes =
            kind == "chain"
            ? #"{"origin": ["\#(origin)", "http://127.0.0.1:1"]}"#
            : #"{"match": {"json": {"a": 1}}, "mock": {}}, {"origin": "\#(origin)"}"#
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [\#(routes)]}"#], ["--log", "off"])
        try ClientProgram.expect(Self.cases, of: ClientProgram.python("grpc_client.py", "127.0.0.1:\(shunt.port)"))
    }
}
