import Bytes
import Exchanges
import JSON
public import Store

/// A close frame's content (RFC 6455 5.5.1).
public struct WebSocketClose: Sendable, Equatable {
    public let code: Int
    public let reason: String

    /// `1001 going down`.
    public var words: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }
}

extension RecordedMessage {
    /// The code and reason of a close frame; nil for other messages, and without a code.
    public var close: WebSocketClose? {
        guard facts.kind == .close, let bytes, bytes.count >= 2 else { return nil }
        return WebSocketClose(
            code: Int(bytes[0]) << 8 | Int(bytes[1]), reason: String(decoding: bytes.dropFirst(2), as: UTF8.self))
    }

    /// An event's type and ID, `update #7`; empty where it has neither.
    public var eventWords: String {
        PlainText.clean([event, eventID.map { "#\($0)" }].compactMap { $0 }.joined(separator: " "))
    }

    /// The missing part, and why, or what was done to it; nil for an ordinary message.
    public var note: String? {
        if isDropped { return "dropped, for the disk was slow" }
        if facts.isUndecodable { return "compressed, and what it refers to is not known" }
        if facts.isCut { return "cut" }
        if facts.isWithheld { return "not sent on" }
        if facts.isEdited { return "sent instead" }
        return facts.isInjected ? "injected" : nil
    }

    /// Writes what JSON says of a message, apart from its time.
    func write(to object: inout JSONWriter) {
        object.member("from", facts.sender == .client ? "client" : "origin")
        object.member("kind", facts.kind.name)
        object.member("length", facts.length)
        if let event { object.member("event", event) }
        if let eventID { object.member("id", eventID) }
        if facts.isCut { object.member("cut", true) }
        if facts.isUndecodable { object.member("undecodable", true) }
        if isDropped { object.member("dropped", true) }
        if facts.isInjected { object.member("injected", true) }
        if facts.isWithheld { object.member("withheld", true) }
        if facts.isEdited { object.member("edited", true) }
        if let close {
            object.members(["code": close.code, "reason": close.reason])
        } else if let bytes {
            if facts.kind == .binary { object.member("hex", HexDump.row(bytes.prefix(16))) }
            if let text = String(validating: bytes, as: UTF8.self) {
                object.member("text", text)
            } else {
                object.member("base64", Base64Encoder.text(bytes))
            }
        }
    }
}

extension MessageFacts.Kind {
    /// Its bytes are meant to be read.
    var isWords: Bool { self == .text || self == .event || self == .error }
}
