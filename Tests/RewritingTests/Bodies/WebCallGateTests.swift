import Protobuf
import Rewriting
import Testing

/// Responses of gRPC as pages read them.
@Suite struct WebCallGateTests {
    private static let messages = [[], [1, 2, 3], [UInt8](repeating: 7, count: 300)].map { GRPC.frame($0) }
    private static let trailers = Array("grpc-status: 0\r\nx-a: b\r\n".utf8)

    private static func run(pieces size: Int, _ gate: WebCallGate) -> [[UInt8]] {
        let body = messages.flatMap(\.self)
        var parts: [[UInt8]] = []
        for start in stride(from: 0, to: body.count, by: size) {
            body[start..<min(start + size, body.count)].withUnsafeBytes { gate.take($0) }
            parts.append(gate.ready)
            gate.ready = []
        }
        gate.end()
        parts.append(gate.ready)
        return parts
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 64, 1000])
    func `messages in any pieces, then the trailers`(size: Int) throws {
        let wanted = Self.messages.flatMap(\.self) + GRPC.frame(Self.trailers, isTrailers: true)
        let gate = WebCallGate(.web)
        gate.end(with: Self.trailers + "\r\n".utf8)
        #expect(Self.run(pieces: size, gate).flatMap(\.self) == wanted)
        let text = WebCallGate(.webText)
        text.end(with: Self.trailers + "\r\n".utf8)
        let parts = Self.run(pieces: size, text)
        #expect(GRPC.decodedText(parts.flatMap(\.self)[...], isWhole: true) == wanted)
        // The last byte of the last message has come, and all of it can be read.
        let before = parts.dropLast().flatMap(\.self)
        #expect(GRPC.decodedText(before[...], isWhole: true) == Self.messages.flatMap(\.self))
    }

    @Test func `a head that ends the call gives the only frame, and a call without an end none`() {
        let gate = WebCallGate(.web, trailers: Self.trailers)
        gate.end()
        #expect(gate.ready == GRPC.frame(Self.trailers, isTrailers: true))
        let cut = WebCallGate(.webText)
        cut.end()
        #expect(cut.ready.isEmpty)
    }
}
