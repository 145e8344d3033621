import HTTP
import JSON
import Profiles
import Protobuf
import Rewriting

/// Reads a request's body before its route, or its template, looks into it.
struct BodyAhead {
    let exchange: ClientExchange
    private var request: Request { exchange.request }
    private var body: RequestBody { exchange.body }

    /// Longer bodies are not looked at, and stream.
    static let longest = 1 << 20

    /// Reads the request's body for conditions and templates, which look into JSON.
    func readJSON() async throws(EngineFailure) {
        try await body.buffer(max: Self.longest, exchange.recording)
        guard body.isBuffered, let bytes = body.buffered?.bytes else { return request.lookahead.didReadBody(nil) }
        let memory = try exchange.state.held.memory(ofTreeOf: bytes)
        let json = try await body.perform(size: bytes.count) { try? JSONReader.read(bytes, dialect: .strict) }
        request.lookahead.didReadBody(
            json.map { RequestLookahead.Content(json: $0, length: bytes.count, memory: memory) })
    }

    /// Reads the message of a gRPC call for conditions and templates, as JSON.
    ///
    /// The client may wait for the response before it ends its side, so that no more than the message is read.
    func readMessage(_ type: ProtobufType) async throws(EngineFailure) {
        guard let form = request.received.callForm, let bytes = try await frame(form) else {
            return request.lookahead.didReadBody(nil)
        }
        let coding = request.received.value(of: "grpc-encoding")
        let memory = try exchange.state.held.memory(ofTreeOf: bytes)
        let text = try await body.perform(size: bytes.count) { () -> (json: JSONValue, length: Int)? in
            let call = form == .webText ? GRPC.decodedText(bytes[...]) ?? [] : bytes
            guard let frame = GRPCFrame(call[...]), !frame.isCut, !frame.isTrailers,
                let message = frame.message(coding: coding, limit: Self.longest),
                let text = type.json(of: message[...]), let json = try? JSONReader.read(text, dialect: .strict)
            else { return nil }
            return (json, text.count)
        }
        request.lookahead.didReadBody(
            text.map { RequestLookahead.Content(json: $0.json, length: $0.length, memory: memory) })
    }

    /// The bytes of the first message with what is in front; nil where it does not end, or is too long.
    private func frame(_ form: GRPC.Form) async throws(EngineFailure) -> [UInt8]? {
        var isWhole = form != .http2
        if case .length = request.head.framing { isWhole = true }
        if isWhole {
            try await body.buffer(max: Self.longest, exchange.recording)
            return body.isBuffered ? body.buffered?.bytes : nil
        }
        try await body.buffer(max: 5, isExact: true, exchange.recording)
        guard let start = body.buffered?.bytes, let frame = GRPCFrame(start[...]), frame.length < Self.longest
        else { return nil }
        try await body.buffer(max: 5 + frame.length, isExact: true, exchange.recording)
        return body.buffered?.bytes
    }
}
