import Engine
import Exchanges
import JSON
import Protobuf
import TestSupport
import Testing

/// Mocks of gRPC calls, on a clock that the test moves.
@Suite struct CallMockTests {
    private static let schema = Result { try ProtobufSchema(descriptors: ShopSchema.descriptors) }

    private static func run(
        _ routes: String, _ body: @escaping @Sendable (isolated MemoryWorker) async throws -> Void
    ) async throws {
        let folder = try ShopSchema.folder()
        let text = routes.replacing("PB", with: "\"grpc\": {\"descriptors\": \"\(folder.path)/shop.pb\"}")
        try await MemoryWorker.run(profile: "{\"kind\": \"local\", \"routes\": [\(text)]}", body)
        withExtendedLifetime(folder) {}
    }

    private static func frame(_ json: String, _ type: String) throws -> [UInt8] {
        let type = try #require(try schema.get().type(named: type))
        return GRPC.frame(try type.bytes(of: try JSONReader.read(json)))
    }

    /// A call with one message, whose client may send more.
    private static func call(
        _ method: String, _ json: String, _ fields: String = "", type: String = "application/grpc", isWhole: Bool = true
    ) throws -> [UInt8] {
        var message = try frame(json, method == "Fill" ? "shop.v1.Item" : "shop.v1.GetRequest")
        if type.hasPrefix("application/grpc-web-text") { message = Array(base64(message).utf8) }
        let head = """
            POST /shop.v1.Cart/\(method) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n\(fields)\
            Transfer-Encoding: chunked\r\n\r\n\(String(message.count, radix: 16))\r\n
            """
        return Array(head.utf8) + message + Array((isWhole ? "\r\n0\r\n\r\n" : "\r\n").utf8)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for at in stride(from: 0, to: bytes.count, by: 3) {
            let group = Array(bytes[at..<min(at + 3, bytes.count)])
            let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for place in 0..<4 { text.append(place <= group.count ? digits[bits >> (18 - 6 * place) & 63] : "=") }
        }
        return text
    }

    private static func connect(_ bytes: [UInt8], _ worker: isolated MemoryWorker) async -> MemoryChannel {
        await worker.connect("") { $0.receive(bytes) }
    }

    private static func contains(_ response: [UInt8], _ part: [UInt8]) -> Bool {
        response.indices.contains { response[$0...].starts(with: part) }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a unary call gets its message and its status`() async throws {
        try await Self.run(
            #"{"path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {"id": "x", "price": 7}}}}"#
        ) {
            worker in
            let client = await Self.connect(try Self.call("Get", "{}"), worker)
            let response = client.takeSent()
            #expect(Self.text(response).hasPrefix("HTTP/1.1 200 "))
            #expect(Self.text(response).contains("\r\nContent-Type: application/grpc\r\n"))
            #expect(Self.contains(response, try Self.frame(#"{"id": "x", "price": 7}"#, "shop.v1.Item")))
            #expect(Self.text(response).hasSuffix("\r\n0\r\ngrpc-status: 0\r\n\r\n"))
            #expect(worker.log.exchanges.map(\.responder) == ["mock"] && worker.log.exchanges.map(\.grpcStatus) == [0])
        }
    }

    @Test func `a stream comes in its time, and ends with its status`() async throws {
        let mock = """
            {"path": "/shop.v1.Cart/Watch", PB, "mock": {"grpc": {"messages": [{"message": {"id": "1"}},
            {"message": {"id": "2"}, "delay": "2s"}], "status": "UNAVAILABLE", "error": "too % late: ü"}}}
            """
        try await Self.run(mock) { worker in
            let client = await Self.connect(try Self.call("Watch", "{}"), worker)
            #expect(Self.contains(client.takeSent(), try Self.frame(#"{"id": "1"}"#, "shop.v1.Item")))
            await worker.advance(by: 1.9)
            #expect(client.takeSent().isEmpty)
            await worker.advance(by: 0.2)
            let rest = client.takeSent()
            #expect(Self.contains(rest, try Self.frame(#"{"id": "2"}"#, "shop.v1.Item")))
            #expect(
                Self.text(rest).hasSuffix(
                    "0\r\ngrpc-status: 14\r\ngrpc-message: too %25 late: %C3%BC\r\n\r\n"))
        }
    }

    @Test func `a client's deadline ends a call that would last longer`() async throws {
        let mock = """
            {"path": "/shop.v1.Cart/Watch", PB, "mock": {"delay": "1s", "grpc": {"messages": [{"message": {}},
            {"message": {}, "delay": "2m"}]}}}
            """
        try await Self.run(mock) { worker in
            let client = await Self.connect(try Self.call("Watch", "{}", "grpc-timeout: 60S\r\n"), worker)
            await worker.advance(by: 1.1)
            #expect(Self.contains(client.takeSent(), [0, 0, 0, 0, 0]))
            await worker.advance(by: 58)
            #expect(client.takeSent().isEmpty)
            await worker.advance(by: 1)
            #expect(Self.text(client.takeSent()).contains("0\r\ngrpc-status: 4\r\n"))
        }
    }

    @Test(arguments: [
        "application/grpc", "application/grpc+proto", "application/grpc-web+proto", "application/grpc-web-text",
    ])
    func `a call is matched by its message, before its client has ended its side`(type: String) async throws {
        let isWeb = type.contains("web")
        let routes = """
            {"path": "/shop.v1.Cart/Get", PB, "match": {"json": {"id": "a"}}, "mock": {"grpc": {"message": {"id": "first"}}}},
            {"path": "/shop.v1.Cart/Get", PB, "match": {"body": {"id": {"regex": "^b"}}},
             "mock": {"template": true, "grpc": {"message": {"id": "second {{body.id}}", "price": "{{json body.password}}"}}}},
            {"path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"status": "NOT_FOUND"}}},
            {"path": "/shop.v1.Cart/Get", "method": "GET", "mock": {"text": "other"}}
            """
        try await Self.run(routes) { worker in
            let cases = [
                (#"{"id": "a", "password": "p"}"#, #"{"id": "first"}"#),
                (#"{"id": "b7", "password": "5"}"#, #"{"id": "second b7", "price": 5}"#), (#"{"id": "c"}"#, ""),
            ]
            for (sent, received) in cases {
                let bytes = try Self.call("Get", sent, type: type, isWhole: isWeb)
                let client = await Self.connect(bytes, worker)
                let response = client.takeSent()
                if !isWeb { client.receive(Array("0\r\n\r\n".utf8)) }
                let status = received.isEmpty ? "grpc-status: 5\r\n" : "grpc-status: 0\r\n"
                let frame = received.isEmpty ? [] : try Self.frame(received, "shop.v1.Item")
                if type.hasSuffix("text") {
                    #expect(Self.text(response).contains(Self.base64(frame)))
                    let trailers = GRPC.frame(Array(status.utf8), isTrailers: true)
                    #expect(Self.text(response).hasSuffix(Self.base64(trailers) + "\r\n0\r\n\r\n"))
                } else if isWeb {
                    let trailers = GRPC.frame(Array(status.utf8), isTrailers: true)
                    #expect(
                        Self.contains(response, frame)
                            && Self.contains(response, trailers + Array("\r\n0\r\n\r\n".utf8)))
                } else {
                    #expect(Self.contains(response, frame) && Self.text(response).hasSuffix("0\r\n\(status)\r\n"))
                }
            }
        }
    }

    @Test func `a call that no mock matches goes to its origin whole, while its client goes on`() async throws {
        let routes = """
            {"path": "/shop.v1.Cart/Get", PB, "match": {"json": {"id": "a"}}, "mock": {"grpc": {"message": {}}}},
            {"path": "/shop.v1.Cart/*", "origin": "http://origin.test"}
            """
        try await Self.run(routes) { worker in
            let client = await Self.connect(try Self.call("Get", #"{"id": "z"}"#, isWhole: false), worker)
            let origin = try worker.origins.channel(0)
            #expect(Self.contains(origin.takeSent(), try Self.frame(#"{"id": "z"}"#, "shop.v1.GetRequest")))
            client.receive(Array("1\r\nx\r\n0\r\n\r\n".utf8))
            await worker.settle()
            #expect(Self.text(origin.takeSent()).contains("x"))
            origin.receive(
                Array(
                    ("HTTP/1.1 200 \r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "0\r\ngrpc-status: 7\r\n\r\n").utf8))
            await worker.settle()
            #expect(Self.text(client.takeSent()).hasSuffix("0\r\ngrpc-status: 7\r\n\r\n"))
            #expect(worker.log.exchanges.map(\.grpcStatus) == [7])
        }
    }

    @Test func `a client that streams gets its response when it has sent all`() async throws {
        try await Self.run(#"{"path": "/shop.v1.Cart/Fill", PB, "mock": {"grpc": {"message": {"id": "sum"}}}}"#) {
            worker in
            let client = await Self.connect(try Self.call("Fill", #"{"id": "1"}"#, isWhole: false), worker)
            #expect(client.takeSent().isEmpty)
            client.receive(Array("0\r\n\r\n".utf8))
            await worker.settle()
            #expect(Self.contains(client.takeSent(), try Self.frame(#"{"id": "sum"}"#, "shop.v1.Item")))
        }
    }

    @Test func `another request than a call is refused, and a template that gives no message ends the call`()
        async throws
    {
        let routes = """
            {"path": "/shop.v1.Cart/Get", PB, "mock": {"template": true, "grpc": {"message": {"price": "{{query.n}}"}}}}
            """
        try await Self.run(routes) { worker in
            let other = await worker.connect("GET /shop.v1.Cart/Get HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(other.text.hasPrefix("HTTP/1.1 415 "))
            let client = await Self.connect(try Self.call("Get", "{}"), worker)
            let response = Self.text(client.takeSent())
            #expect(response.contains("0\r\ngrpc-status: 13\r\n") && response.contains("gives no shop.v1.Item"))
        }
    }
}
