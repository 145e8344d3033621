import Bytes
import Exchanges
import JSON
import Store

extension HAREntryWriter {
    private static let messagesAtOnce = 4

    /// WebSocket messages as Chrome has them, and the events of a stream.
    func writeMessages() throws(ExportFailure) {
        guard record.messageCount > 0 else { return }
        var number: Int64 = -1
        var name: String?
        while true {
            let page = try stored { () throws(StoreFailure) in
                try reader.messages(of: record.summary.id, after: number, limit: Self.messagesAtOnce)
            }
            for message in page {
                number = message.number
                if name == nil {
                    let isEvent = record.summary.responseType == "text/event-stream" || message.facts.kind == .event
                    output.json.member("_resourceType", isEvent ? "eventsource" : "websocket")
                    name = isEvent ? "_eventSourceMessages" : "_webSocketMessages"
                    output.json.key(name ?? "")
                    output.json.beginArray()
                }
                write(message)
                try output.settle()
            }
            if page.count < Self.messagesAtOnce { break }
        }
        if name != nil { output.json.endArray() }
    }

    private func write(_ message: RecordedMessage) {
        let facts = message.facts
        let bytes = message.bytes ?? []
        let words = facts.kind.isWords ? String(validating: bytes, as: UTF8.self) : nil
        output.json.object {
            $0.member("type", facts.kind == .error ? "error" : facts.sender == .client ? "send" : "receive")
            $0.key("time")
            $0.raw(Self.seconds(facts.time).utf8)
            $0.member("opcode", facts.kind.opcode)
            $0.member("data", words ?? Base64Encoder.text(bytes))
            if words == nil { $0.member("_encoding", "base64") }
            // Chromium passes over events that lack one of these.
            if facts.kind == .event || message.event != nil { $0.member("eventName", message.event ?? "message") }
            if facts.kind == .event || message.eventID != nil { $0.member("eventId", message.eventID ?? "") }
            if message.isPartial { $0.member("_length", facts.length) }
            if facts.isInjected { $0.member("_injected", true) }
            if facts.isWithheld { $0.member("_withheld", true) }
            if facts.isEdited { $0.member("_edited", true) }
        }
    }

    /// Since 1970, with microseconds.
    private static func seconds(_ time: Int64) -> String {
        let (whole, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(time < 0 ? "-" : "")\(whole).\(String(rest + 1_000_000).dropFirst())"
    }
}
