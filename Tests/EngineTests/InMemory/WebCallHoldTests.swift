import Engine
import Exchanges
import Protobuf
import Reactor
import Testing

/// Breakpoints in calls of gRPC-Web that are translated for their origin.
@Suite struct WebCallHoldTests {
    private static let profile =
        #"{"kind": "local", "routes": [{"origin": "http://origin.test", "grpcWeb": true}]}"#
    private static let message = GRPC.frame([0x0A, 2, 0x61, 0x37])
    /// The same in Base64.
    private static let text = "AAAAAAQKAmE3"

    enum Form: String, CaseIterable {
        case binary = "application/grpc-web+proto"
        case text = "application/grpc-web-text"

        var body: [UInt8] { self == .binary ? WebCallHoldTests.message : Array(WebCallHoldTests.text.utf8) }
    }

    private static func call(_ form: Form) -> [UInt8] {
        Array(
            """
            POST /shop.v1.Cart/Get HTTP/1.1\r\nHost: shop.test\r\nContent-Type: \(form.rawValue)\r\n\
            Content-Length: \(form.body.count)\r\n\r\n
            """.utf8) + form.body
    }

    private static func held(_ worker: isolated MemoryWorker) throws -> HeldExchange {
        try #require(worker.state.breakpoints?.held.first, "nothing is held")
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    private static func respond(_ origin: MemoryChannel, _ worker: isolated MemoryWorker) async {
        origin.receive(
            Array("HTTP/1.1 200 \r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n".utf8)
                + message + Array("\r\n0\r\ngrpc-status: 5\r\ngrpc-message: gone\r\n\r\n".utf8))
        await worker.settle()
    }

    /// What a client of the form gets of that response.
    private static func expectResponse(_ client: MemoryChannel, _ form: Form) {
        let bytes = client.takeSent()
        let trailers = GRPC.frame(Array("grpc-status: 5\r\ngrpc-message: gone\r\n".utf8), isTrailers: true)
        let head = String(decoding: bytes, as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.contains("Content-Type: application/grpc-web"), "\(head)")
        switch form {
        case .binary: #expect(contains(bytes, message) && contains(bytes, trailers), "\(head)")
        case .text: #expect(contains(bytes, Array(text.utf8)) && head.contains("gAAAA"), "\(head)")
        }
    }

    @Test(arguments: Form.allCases, [false, true])
    func `a call goes on translated, with its head edited or as it is`(form: Form, isEdited: Bool) async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            try worker.state.breakpoints?.add("~grpc Cart/Get", .both)
            let client = await worker.connect { $0.receive(Self.call(form)) }
            #expect(worker.origins.attempts == 0)
            var edit = HoldEdit()
            if isEdited {
                edit.path = "/shop.v1.Cart/Take"
                edit.fields = [("Content-Type", form.rawValue), ("X-Trial", "yes")]
            }
            try Self.held(worker).goOn(edit)
            await worker.settle()
            let origin = try worker.origins.channel(0)
            let sent = origin.takeSent()
            let head = String(decoding: sent, as: UTF8.self)
            #expect(head.hasPrefix("POST /shop.v1.Cart/\(isEdited ? "Take" : "Get") HTTP/1.1\r\n"), "\(head)")
            #expect(head.contains("\r\nContent-Type: application/grpc\r\n"), "\(head)")
            #expect(head.contains("X-Trial: yes") == isEdited && Self.contains(sent, Self.message), "\(head)")
            // Responses of calls are not held.
            await Self.respond(origin, worker)
            #expect(worker.state.breakpoints?.held.isEmpty == true)
            Self.expectResponse(client, form)
            #expect(worker.log.exchanges.map(\.grpcStatus) == [5])
            #expect(worker.state.held.count == 0)
        }
    }

    @Test(arguments: Form.allCases)
    func `a held call can get another response, or be dropped, and its origin is not asked`(form: Form) async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            try worker.state.breakpoints?.add("~all")
            let client = await worker.connect { $0.receive(Self.call(form)) }
            var edit = HoldEdit()
            (edit.status, edit.fields, edit.body) = (503, [("Retry-After", "9")], "later")
            try Self.held(worker).respond(edit)
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 503 "))
            let other = await worker.connect { $0.receive(Self.call(form)) }
            try Self.held(worker).drop()
            await worker.settle()
            #expect(other.wasAborted && worker.origins.attempts == 0)
            #expect(worker.state.held.count == 0)
        }
    }

    @Test func `a call whose text is no Base64 is refused when it goes on`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            try worker.state.breakpoints?.add("~all")
            let head =
                "POST /shop.v1.Cart/Get HTTP/1.1\r\nHost: shop.test\r\nContent-Type: application/grpc-web-text\r\n"
            let client = await worker.connect(head + "Content-Length: 3\r\n\r\n***")
            try Self.held(worker).goOn()
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 400 ") && worker.origins.attempts == 0)
        }
    }
}
