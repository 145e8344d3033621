import JSON

/// What a notification says, and how it is to be delivered.
struct PushMessage {
    /// Field lines, with their line ends.
    let fields: String
    let payload: [UInt8]
}

/// One notification that is to be sent.
struct PushJob {
    /// Its line in the input, or its place on the command line; from 1.
    let number: Int
    let token: String
    let message: PushMessage
    /// Responses that told to come later.
    var repeats = 0
    /// Streams and connections that ended without a response.
    var losses = 0

    /// Tells the job from that of another input with the same number; never 0.
    var mark: UInt32 {
        // FNV-1a.
        var hash: UInt32 = 2_166_136_261
        for byte in token.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        for byte in message.fields.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        for byte in message.payload { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash | 1
    }
}

/// What notifications have in common, and what a line of JSON may say otherwise.
struct PushTemplate {
    var topic: String?
    var type: String?
    var priority: String?
    var expiration: String?
    var collapseID: String?
    var payload: [UInt8]?

    /// The same with the members of a line.
    func merged(with line: JSONValue) throws -> PushTemplate {
        var merged = self
        for member in line.object ?? [] {
            switch member.key {
            case "token": continue
            case "topic": merged.topic = try Self.text(member)
            case "type": merged.type = try Self.text(member)
            case "priority": merged.priority = try Self.text(member)
            case "expiration": merged.expiration = try Self.text(member)
            case "collapseID": merged.collapseID = try Self.text(member)
            case "payload":
                guard member.value.object != nil else {
                    throw UsageError(
                        "the payload is \(member.value.kindName)", advice: "Give an object: {\"aps\": {…}}.")
                }
                merged.payload = JSONWriter.bytes(of: member.value)
            default:
                throw UsageError(
                    "“\(member.key)” is unknown",
                    advice: "There are token, payload, topic, type, priority, expiration and collapseID.")
            }
        }
        return merged
    }

    private static func text(_ member: JSONMember) throws -> String {
        if let text = member.value.string ?? member.value.number?.text { return text }
        throw UsageError("“\(member.key)” is \(member.value.kindName)", advice: "Give a string or a number.")
    }

    func message() throws -> PushMessage {
        guard let topic else {
            throw UsageError("no topic is given", advice: "Name the app: --topic com.example.shop.")
        }
        guard let payload else {
            throw UsageError("there is nothing to send", advice: "Give --alert TEXT or --payload FILE.")
        }
        let type = type ?? Self.type(of: payload)
        let priority = priority ?? (type == "background" ? "5" : nil)
        var fields = ""
        for (name, value) in [
            ("topic", topic), ("push-type", type), ("priority", priority), ("expiration", expiration),
            ("collapse-id", collapseID),
        ] {
            guard let value else { continue }
            guard Self.isValue(value) else {
                throw UsageError(
                    "“\(value)” cannot be sent in apns-\(name)",
                    advice: "Give visible characters of ASCII, with single spaces within.")
            }
            fields += "apns-\(name): \(value)\r\n"
        }
        return PushMessage(fields: fields, payload: payload)
    }

    private static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.first != " " && text.last != " "
    }

    /// A payload without anything to be shown is for the app in the background.
    private static func type(of payload: [UInt8]) -> String {
        guard let aps = (try? JSONReader.read(payload, dialect: .strict))?["aps"], aps["alert"] == nil,
            aps["badge"] == nil, aps["sound"] == nil, aps["content-available"] != nil
        else { return "alert" }
        return "background"
    }
}
