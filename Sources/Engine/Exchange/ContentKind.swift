import Bytes

/// What the media type of a request's content tells about it.
enum ContentKind {
    private static let grpc: StaticString = "application/grpc"
    private static let others: [StaticString] = [grpc, "multipart/", "image/", "audio/", "video/", "font/"]

    /// Whether it is the messages of a gRPC call, in any of its encodings.
    static func isGRPC(_ type: Span<UInt8>) -> Bool { begins(type, grpc) }

    /// Whether it may be JSON: many clients send that as a form, as text, or without a type.
    static func mayBeJSON(_ type: Span<UInt8>) -> Bool {
        for other in others where begins(type, other) { return false }
        return true
    }

    private static func begins(_ type: Span<UInt8>, _ text: StaticString) -> Bool {
        type.count >= text.utf8CodeUnitCount && type.extracting(..<text.utf8CodeUnitCount).spells(text)
    }
}
