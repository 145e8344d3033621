public import Protobuf

/// The response to a gRPC call: messages, then a status.
public struct MockCall: Sendable {
    public struct Message: Sendable {
        public let delay: MockDelay?
        public let content: Content
    }

    public enum Content: Sendable {
        /// As it is framed.
        case bytes([UInt8])
        /// JSON whose places are filled for each request.
        case template(MockTemplate)
    }

    static let statuses = GRPC.statuses

    public let method: ProtobufMethod
    public let messages: [Message]
    /// Of the client's messages, and of these.
    public let input: ProtobufType
    public let type: ProtobufType
    /// The lines that end the call.
    public let trailers: [UInt8]
    public let status: Int

    /// What takes the place of a call while its messages are not known.
    static func unknown(_ settings: GRPCSettings) -> MockCall {
        let text = "the messages of this mock are not known yet, which come by \(settings.source)"
        return MockCall(
            method: .unknown, messages: [], input: .unknown, type: .unknown,
            trailers: GRPC.trailers(status: 14, message: text, details: []), status: 14)
    }

    public var needsBody: Bool {
        messages.contains { if case .template(let template) = $0.content { template.needsBody } else { false } }
    }
}
