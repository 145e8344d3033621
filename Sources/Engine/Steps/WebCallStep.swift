import Bytes
import HTTP
import Profiles
import Protobuf
import Rewriting

/// Calls of gRPC-Web for origins that speak gRPC alone.
enum WebCallStep: RequestStep, ResponseStep {
    /// Of the text that a call's body is in.
    private static let longestText = 32 << 20
    /// Fields that end a call, where its head has them.
    private static let endings = ["grpc-status", "grpc-message", "grpc-status-details-bin"]
    private static let withoutEndings = HeaderChanges(remove: endings)

    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard request.exchange.way.webCall != nil else { return true }
        fields = fields.union([.contentType, .accept])
        return output.appendWhole("Content-Type: application/grpc\r\n")
    }

    static func append(
        _ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse,
        replacing fields: inout FieldNameSet
    ) -> Bool {
        guard response.exchange.way.webCall != nil,
            let form = form(response.exchange, of: response.memory.response, bytes)
        else { return true }
        fields.insert(.contentType)
        return output.appendWhole(Array("Content-Type: \(form.contentType)\r\n".utf8))
    }

    /// The head's fields without those that the body's last frame has.
    static func strip(_ output: inout Buffer, from mark: Int) -> Bool {
        output.replace(from: mark, with: withoutEndings.applied(to: Array(output.unsafeBytes[mark...])))
    }

    /// What translates the body of a response; nil where it goes on as it is.
    static func gate(_ exchange: ClientExchange, _ response: ResponseHead, _ bytes: Span<UInt8>) -> WebCallGate? {
        guard let form = form(exchange, of: response, bytes), response.framing != .none else { return nil }
        var lines: [UInt8] = []
        for field in response.fields where endings.contains(where: { field.isNamed($0.utf8, in: bytes) }) {
            lines += [UInt8](bytes.extracting(field.name)).map(ByteSearch.lowercased) + ": ".utf8
            lines += [UInt8](bytes.extracting(field.value)) + "\r\n".utf8
        }
        return WebCallGate(form, trailers: lines)
    }

    /// The body of a call as the origin gets it; nil where it goes on as it comes.
    static func body(_ exchange: ClientExchange, _ edited: [UInt8]?) async throws(EngineFailure) -> [UInt8]? {
        guard exchange.way.webCall == .webText, exchange.request.head.framing != .none else { return edited }
        try await exchange.body.buffer(max: longestText, exchange.recording)
        guard exchange.body.isBuffered, let text = edited ?? exchange.body.buffered?.bytes else {
            throw EngineFailure(
                .client, .send, status: 413, "the call in text is longer than \(longestText >> 20) MiB",
                advice: "Send it as application/grpc-web+proto.")
        }
        let decoded = try await exchange.body.perform(size: text.count) { GRPC.decodedText(text[...], isWhole: true) }
        guard let decoded else {
            throw EngineFailure(
                .client, .send, status: 400, "the call in text is no Base64",
                advice: "Send it as application/grpc-web-text, or without \"-text\" as it is.")
        }
        return decoded
    }

    /// Notes whether the request is a call that is translated for an origin.
    static func begin(_ exchange: ClientExchange, to use: OriginUse) {
        exchange.way.webCall = nil
        if use.translatesWebCalls, let form = exchange.request.received.callForm, form != .http2 {
            exchange.way.webCall = form
            exchange.metrics.changes.insert(.webCall)
        }
    }

    /// How a response is written for the client of a translated call; nil where it goes on as it is.
    private static func form(
        _ exchange: ClientExchange, of response: ResponseHead, _ bytes: Span<UInt8>
    ) -> GRPC.Form? {
        guard let form = exchange.way.webCall, !response.isInformational, let type = response.field(.contentType),
            GRPC.Form(contentType: [UInt8](bytes.extracting(type.value))) == .http2
        else { return nil }
        return form
    }

    /// The response's head is written without what ends the call.
    static func isTranslated(
        _ exchange: ClientExchange, _ response: ResponseHead, _ bytes: Span<UInt8>
    ) -> Bool {
        response.framing != .none && form(exchange, of: response, bytes) != nil
    }
}
