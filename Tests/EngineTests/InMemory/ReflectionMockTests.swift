import Engine
import Exchanges
import Protobuf
import Reactor
import TestSupport
import Testing

/// Mocks of gRPC calls that clients ask what they are made of.
@Suite struct ReflectionMockTests {
    private static let path = ReflectionQuestion.paths[0]
    private static let mock = #"{"path": "/shop.v1.Cart/Get", PB, "mock": {"grpc": {"message": {"id": "x"}}}}"#

    private static func run(
        _ routes: String = mock, _ body: @escaping @Sendable (isolated MemoryWorker) async throws -> Void
    ) async throws {
        let folder = try ShopSchema.folder()
        let text = routes.replacing("PB", with: "\"grpc\": {\"descriptors\": \"\(folder.path)/shop.pb\"}")
        try await MemoryWorker.run(profile: "{\"kind\": \"local\", \"routes\": [\(text)]}", body)
        withExtendedLifetime(folder) {}
    }

    private static func head(_ type: String = "application/grpc", path: String = path, host: String = "a") -> [UInt8] {
        Array(
            """
            POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n
            """.utf8)
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A]
    }

    private static func chunk(_ question: ReflectionQuestion) -> [UInt8] { chunk(GRPC.frame(question.bytes)) }

    private static let end = Array("0\r\n\r\n".utf8)

    /// The answers in a body in the chunked coding, and its trailers.
    private static func answers(_ response: [UInt8]) -> (list: [ReflectionAnswer], rest: String) {
        var rest = response[...]
        if let start = response.indices.first(where: { response[$0...].starts(with: Array("\r\n\r\n".utf8)) }),
            response.starts(with: Array("HTTP".utf8))
        {
            rest = response[(start + 4)...]
        }
        var body: [UInt8] = []
        while let line = rest.firstIndex(of: 0x0D),
            let size = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16),
            size > 0
        {
            body += rest[(line + 2)..<(line + 2 + size)]
            rest = rest[(line + 4 + size)...]
        }
        var (list, frames): ([ReflectionAnswer], ArraySlice<UInt8>) = ([], body[...])
        while let frame = GRPCFrame(frames), !frame.isCut {
            if let answer = ReflectionAnswer(frame.bytes) { list.append(answer) }
            frames = frame.rest
        }
        return (list, String(decoding: rest, as: UTF8.self))
    }

    private static func names(_ answer: ReflectionAnswer?) -> [String] {
        switch answer {
        case .services(let names): names
        case .files(let files):
            files.map { file in
                // The first field of a descriptor is the file's name.
                String(decoding: file.dropFirst(2).prefix(Int(file[file.startIndex + 1])), as: UTF8.self)
            }
        case .extensions(let type, let numbers): [type] + numbers.map(String.init)
        case .failure(let status, let text): ["\(status) \(text)"]
        case nil: []
        }
    }

    @Test(arguments: ReflectionQuestion.paths)
    func `each question is answered before the next one is asked`(path: String) async throws {
        try await Self.run { worker in
            let client = await worker.connect { $0.receive(Self.head(path: path) + Self.chunk(.services)) }
            #expect(Self.names(Self.answers(client.takeSent()).list.first) == ["shop.v1.Cart"])
            func ask(_ question: ReflectionQuestion) async -> [String] {
                client.receive(Self.chunk(question))
                await worker.settle()
                return Self.names(Self.answers(client.takeSent()).list.first)
            }
            let files = await ask(.symbol("shop.v1.Cart"))
            #expect(files.first == "shop.proto" && files.contains("google/protobuf/any.proto") && files.count == 7)
            // What was sent on this stream is not sent again, but for what is asked for.
            #expect(await ask(.symbol("shop.v1.Cart.Watch")) == ["shop.proto"])
            #expect(await ask(.symbol("shop.v1.Item.price")) == ["shop.proto"])
            #expect(await ask(.symbol("shop.v1.Size")) == ["shop.proto"])
            #expect(await ask(.file("google/protobuf/any.proto")) == ["google/protobuf/any.proto"])
            #expect(await ask(.symbol("shop.v1.None")) == ["5 no mock has the symbol shop.v1.None"])
            #expect(await ask(.file("none.proto")) == ["5 no mock has the file none.proto"])
            #expect(await ask(.extension(of: "shop.v1.Item", number: 100)).first?.hasPrefix("5 ") == true)
            #expect(await ask(.extensionNumbers("shop.v1.Item")) == ["shop.v1.Item"])
            client.receive(Self.chunk([0, 0, 0, 0, 0]))
            await worker.settle()
            #expect(Self.names(Self.answers(client.takeSent()).list.first).first?.hasPrefix("3 ") == true)
            client.receive(Self.end)
            await worker.settle()
            #expect(client.text == "0\r\ngrpc-status: 0\r\n\r\n")
            #expect(worker.log.exchanges.map(\.responder) == ["mock"] && worker.log.exchanges.map(\.grpcStatus) == [0])
        }
    }

    @Test(arguments: ["application/grpc-web+proto", "application/grpc-web-text"])
    func `pages are answered in their form`(type: String) async throws {
        try await Self.run { worker in
            let frame = GRPC.frame(ReflectionQuestion.services.bytes)
            // The frame of `list_services: "*"` in Base64.
            let body = type.hasSuffix("text") ? Array("AAAAAAM6ASo=".utf8) : frame
            let client = await worker.connect { $0.receive(Self.head(type) + Self.chunk(body) + Self.end) }
            let text = client.text
            #expect(text.contains("Content-Type: \(type.hasSuffix("text") ? type + "+proto" : type)\r\n"))
            #expect(
                text.contains(type.hasSuffix("text") ? "gAAAABBncnBjLXN0YXR1czogMA0K" : "grpc-status: 0"), "\(text)")
        }
    }

    @Test(
        arguments: [
            (Array(repeating: UInt8(0xFF), count: 8), "grpc-status: 8"),
            ([0, 0, 0xFF, 0xFF, 0xFF], "grpc-status: 8"), ([0, 0, 0, 0, 9, 1], "grpc-status: 3"),
            ([1, 0, 0, 0, 1, 1], "grpc-status: 3"),
        ] as [([UInt8], String)])
    func `what is no question ends the call`(bytes: [UInt8], status: String) async throws {
        try await Self.run { worker in
            let client = await worker.connect { $0.receive(Self.head() + Self.chunk(bytes) + Self.end) }
            #expect(client.text.contains("0\r\n\(status)\r\n"))
        }
    }

    private static func questions(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in chunk(.symbol("shop.v1.Cart")) }
    }

    @Test func `a client that asks and does not read makes nothing grow`() async throws {
        try await Self.run { worker in
            let questions = Self.questions(20_000)
            let client = await worker.connect(window: 1000) { $0.receive(Self.head() + questions) }
            #expect(client.takeSent().count <= 1000)
            // Most questions were not even read.
            #expect(client.unreadCount > questions.count / 2)
        }
    }

    @Test func `a client that reads late gets all answers`() async throws {
        try await Self.run { worker in
            let client = await worker.connect(window: 1000) {
                $0.receive(Self.head() + Self.questions(100) + Self.end)
            }
            var all: [UInt8] = []
            // Each turn lets some of them leave.
            var turns = 0
            while !String(decoding: all.suffix(24), as: UTF8.self).contains("grpc-status: 0"), turns < 10_000 {
                client.widen(by: 1 << 20)
                await worker.settle()
                all += client.takeSent()
                turns += 1
            }
            #expect(Self.answers(all).list.count == 100)
            #expect(Self.answers(all).rest == "0\r\ngrpc-status: 0\r\n\r\n")
        }
    }

    @Test func `routes for that question, and servers that describe themselves, come first`() async throws {
        let own = #"{"path": "/grpc.reflection.v1.ServerReflection/*", "mock": {"status": 418}}"#
        try await Self.run(Self.mock + "," + own) { worker in
            let client = await worker.connect { $0.receive(Self.head() + Self.end) }
            #expect(client.text.hasPrefix("HTTP/1.1 418"))
        }
        let server = #"{"origin": "http://origin.test", "grpc": {"reflection": true}}"#
        try await Self.run(Self.mock + "," + server) { worker in
            _ = await worker.connect { $0.receive(Self.head() + Self.end) }
            #expect(worker.origins.attempts == 1)
        }
        let other = Self.mock.replacing("{\"path\"", with: "{\"host\": \"b\", \"path\"")
        try await Self.run(other + #", {"origin": "http://origin.test"}"#) { worker in
            _ = await worker.connect { $0.receive(Self.head() + Self.end) }
            #expect(worker.origins.attempts == 1)
            let client = await worker.connect { $0.receive(Self.head(host: "b") + Self.chunk(.services) + Self.end) }
            #expect(Self.names(Self.answers(client.takeSent()).list.first) == ["shop.v1.Cart"])
            #expect(worker.origins.attempts == 1)
        }
    }

    @Test func `another request than a call is refused`() async throws {
        try await Self.run { worker in
            let client = await worker.connect("GET \(Self.path) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.text.hasPrefix("HTTP/1.1 415 "))
        }
    }
}
