import HTTP

/// A response that is recorded message by message.
enum MessageStream {
    /// A WebSocket, with the value of the response's Sec-WebSocket-Extensions.
    case webSocket(extensions: String)
    /// Server-sent events, with the value of Content-Encoding; empty without one.
    case events(contentEncoding: [UInt8])
    /// A tunnel for another protocol, of which no bytes are kept.
    case unknown
}

extension MessageStream {
    /// The stream that begins with the response whose head was just parsed from `bytes`; nil for an ordinary response.
    init?(of response: borrowing ResponseHead, _ bytes: Span<UInt8>) {
        if response.framing == .tunnel {
            guard String(bytes.extracting(response.upgradeRange)).lowercased() == "websocket" else {
                self = .unknown
                return
            }
            let values = response.fields.filter {
                String(bytes.extracting($0.name)).lowercased() == "sec-websocket-extensions"
            }.map { String(bytes.extracting($0.value)) }
            self = .webSocket(extensions: values.joined(separator: ","))
            return
        }
        guard let type = response.field(.contentType), Self.isEventStream(bytes.extracting(type.value)) else {
            return nil
        }
        let codings = response.fields.filter { $0.id == .contentEncoding }
            .map { String(bytes.extracting($0.value)) }
        self = .events(contentEncoding: Array(codings.joined(separator: ",").utf8))
    }

    /// Whether a Content-Type says `text/event-stream`, with parameters or without.
    static func isEventStream(_ type: Span<UInt8>) -> Bool {
        let wanted: StaticString = "text/event-stream"
        let length = wanted.utf8CodeUnitCount
        guard type.count >= length else { return false }
        for index in 0..<length {
            let byte = type[index]
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            guard (isCapital ? byte | 0x20 : byte) == wanted.utf8Start[index] else { return false }
        }
        guard type.count > length else { return true }
        let next = type[length]
        return next == UInt8(ascii: ";") || next == UInt8(ascii: " ") || next == UInt8(ascii: "\t")
    }
}
