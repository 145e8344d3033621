import Bytes
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
        guard Self.isEvents(response, bytes) else { return nil }
        let codings = response.fields.filter { $0.id == .contentEncoding }
            .map { String(bytes.extracting($0.value)) }
        self = .events(contentEncoding: Array(codings.joined(separator: ",").utf8))
    }

    /// Whether a Content-Type says `text/event-stream`, with parameters or without.
    static func isEventStream(_ type: Span<UInt8>) -> Bool {
        guard type.begins(with: "text/event-stream") else { return false }
        return type.count == 17 || "; \t".utf8.contains(type[17])
    }

    /// Whether the response is server-sent events.
    static func isEvents(_ head: borrowing ResponseHead, _ bytes: Span<UInt8>) -> Bool {
        head.field(.contentType).map { isEventStream(bytes.extracting($0.value)) } ?? false
    }
}
