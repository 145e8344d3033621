// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

extension GRPCSettings {
    static let keys = Keys<Void>("grpc", "the \"grpc\" of a route", [
        .own("descriptors", "a file like \"shop.pb\"", Schema.fullText, "A descriptor set, relative to this profile, as `protoc --include_imports --descriptor_set_out` and `buf build` write it.", see: "grpc.md#say-which-messages"),
        .own("protos", "an array of files like \"shop.proto\"", Schema.list(Schema.fullText, min: 1), ".proto files, relative to this profile, in place of a descriptor set; protoc has to be installed.", see: "grpc.md#say-which-messages"),
        .own("imports", "an array of folders like \"protos\"", Schema.list(Schema.fullText, min: 1), "The folders, relative to this profile, in which protoc looks for what the .proto files import.", usual: "those of the .proto files"),
        .own("reflection", #"true, or the URL of a server like "h2c://localhost:50051""#, Schema.any(#""const": true"#, Schema.pattern("^[hH]([tT][tT][pP][sS]?|2[cC])://")), "Asks the route's origin for its messages (gRPC server reflection), or the server at that URL, while Shunt runs.", see: "grpc.md#ask-the-server"),
    ])
}

extension MockCall {
    static let keys = Keys<Void>("mockCall", "the \"grpc\" of a mock", [
        .own("message", "an object like { \"name\": \"Ada\" }", "", "The message of the response as JSON.", see: "grpc.md#mocks"),
        .own("messages", #"an array like [{ "message": {}, "delay": "1s" }]"#, Schema.list(Schema.object("mockCallMessage"), min: 1), "The messages of a stream, one after the other.", see: "grpc.md#mocks"),
        .own("status", "the name or the number of a status, like \"NOT_FOUND\"", Schema.any(Schema.one(of: MockCall.statuses), Schema.whole(0...16)), "The status of the call.", usual: "\"OK\""),
        .own("error", "a text", Schema.text, "What went wrong, in words, beside a status that is not OK."),
        .own("details", "an array of messages with \"@type\"", Schema.list(#""type": "object""#, min: 1), "The details of the status: messages of the schema."),
    ])
    static let messageKeys = Keys<Void>("mockCallMessage", "a message of a call", required: ["message"], [
        .own("message", "an object like { \"name\": \"Ada\" }", "", "The message as JSON."),
        .own("delay", MockDelay.expected, Schema.times, "How long Shunt waits before it.", usual: "not at all"),
    ])
}
