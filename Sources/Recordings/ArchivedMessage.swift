import Bytes
import JSON

/// A message of a recorded WebSocket, or an event of a recorded stream.
public struct ArchivedMessage: Sendable, Equatable {
    public let isFromClient: Bool
    /// That of RFC 6455 5.2; 1 for events.
    public let opcode: Int
    public let bytes: [UInt8]
    /// Microseconds since 1970.
    public let time: Int64
}

extension RecordingFile {
    /// More than this of one entry's messages is not replayed.
    private static let maxMessages = 64 << 20

    public func isWebSocket(_ entry: Int) -> Bool { entries[entry].isWebSocket }

    /// When the exchange began, in microseconds since 1970; 0 where the recording does not say.
    public func started(_ entry: Int) -> Int64 { entries[entry].started }

    /// Microseconds until a response began, and those that its body took.
    public func times(_ entry: Int) -> (wait: UInt64, receive: UInt64) {
        (entries[entry].wait, entries[entry].receive)
    }

    /// The messages of an entry in their order; empty where it has none.
    public func messages(_ entry: Int) throws(RecordingFailure) -> [ArchivedMessage] {
        guard let range = entries[entry].messages else { return [] }
        guard range.count <= Self.maxMessages else {
            throw RecordingFailure("has more than \(Self.maxMessages >> 20) MiB of messages in entry \(entry + 1)")
        }
        let bytes = try literal(range)
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONReader.read(bytes, dialect: .strict)
        } catch {
            throw failure("has a list of messages that is no JSON", range)
        }
        var messages: [ArchivedMessage] = []
        for item in value.array ?? [] {
            let type = item["type"]?.string
            // A client is played what it has got, and says what it has said.
            let isOther = type == "send" ? ["_edited", "_injected"] : ["_withheld"]
            if isOther.contains(where: { item[$0]?.bool == true }) { continue }
            // What Shunt or a browser said about a broken stream is no message.
            guard type != "error", item["_length"] == nil else {
                if type == "error" { continue }
                throw RecordingFailure("has only a part of a message in entry \(entry + 1)")
            }
            let opcode = item["opcode"]?.number?.int64 ?? 1
            let data = item["data"]?.string ?? ""
            // Chrome and Playwright write binary messages in Base64, and Shunt all that is no text.
            let isBase64 = item["_encoding"]?.string == "base64" || opcode == 2
            guard let bytes = isBase64 ? Base64Decoder.bytes(data) : Array(data.utf8) else {
                throw RecordingFailure("has a message in entry \(entry + 1) that is no Base64")
            }
            let seconds = Double(item["time"]?.number?.text ?? "") ?? 0
            messages.append(
                ArchivedMessage(
                    isFromClient: type == "send", opcode: Int(clamping: opcode), bytes: bytes,
                    time: seconds.isFinite && seconds.magnitude < 1e12 ? Int64(seconds * 1e6) : 0))
        }
        return messages
    }

    /// The response's fields that a client of a WebSocket needs.
    public func webSocketProtocol(_ entry: Int) throws(RecordingFailure) -> String? {
        try responseFields(entries[entry]).first { $0.name.lowercased() == "sec-websocket-protocol" }?.value
    }
}
