// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

extension MockEvents {
    static let keys = Keys<Void>("mockEvents", "\"events\"", required: ["script"], [
        .own("script", #"an array of events like { "data": { "price": 7 } }"#, Schema.list(Schema.object("mockEvent"), min: 1), "What is sent, one after the other.", see: "mocks.md#server-sent-events"),
        .own("end", ValueKind<ScriptEnd>.choice.expected, ValueKind<ScriptEnd>.choice.schema, "After the last event: close ends the response, open leaves it open until the client closes it, loop begins again.", usual: "\"close\""),
    ])
    static let eventKeys = Keys<Void>("mockEvent", "an event", [
        .own("data", "a text or any other JSON", "", "The data: a text as it is, other JSON in one line."),
        .own("event", "a text", Schema.text, "The type of the event.", usual: "message, for browsers"),
        .own("id", "a text or a number", Schema.any(Schema.text, #""type": "number""#), "Its ID, which a client sends as Last-Event-ID when it connects again: the script then goes on behind that event."),
        .own("retry", retry.expected, retry.schema, "How long clients wait before they connect again."),
        .own("comment", "a text", Schema.text, "A line that clients ignore, sent to keep connections open."),
        .own("tokens", "a text", Schema.fullText, "One event for each word of this text: {{token}} in data stands for the word with the space before it.", see: "mocks.md#server-sent-events"),
        .own("delay", MockDelay.expected, Schema.times, "How long Shunt waits before it; with tokens before each of them.", usual: "not at all"),
    ])
    static let retry = ValueKind<UInt64>.time("0s", "1h", like: "3s")
}

extension MockConversation {
    static let keys = Keys<Void>("mockWebSocket", "\"webSocket\"", [
        .own("script", #"an array of steps like { "text": "hello" }"#, Schema.list(Schema.object("mockStep")), "What happens after the handshake, one step after the other.", usual: "nothing", see: "mocks.md#websockets"),
        .own("replies", #"an array of replies like { "receive": { "text": "ping" }, "send": [{ "text": "pong" }] }"#, Schema.list(Schema.object("mockReply")), "Replies to messages for which no step waits; the first whose condition is met is used.", usual: "none"),
        .own("protocols", #"an array of names like "graphql-transport-ws""#, Schema.list(Schema.fullText), "Subprotocols of the server, of which the first that the client offers is chosen.", usual: "the first that the client offers"),
        .own("end", ValueKind<ScriptEnd>.choice.expected, ValueKind<ScriptEnd>.choice.schema, "After the last step: open replies until the client closes, close closes with code 1000, loop begins again.", usual: "\"open\""),
    ])
    static let stepKeys = Keys<Void>("mockStep", "a step", [
        .own("text", "a text", Schema.text, "A text message."),
        .own("json", "any JSON", "", "A text message with JSON in one line."),
        .own("base64", "binary data in Base64", Schema.text, "A binary message."),
        .own("file", "a path like \"tick.json\"", Schema.fullText, "A message from a file, relative to this profile: a text message if its extension is that of a text or JSON, else a binary one."),
        .own("ping", "a text of at most 125 bytes", Schema.text, "A ping with this content."),
        .own("receive", receive, MessageCondition.schema, "Waits for a message of the client: true for any, or conditions that must all be met. Messages that do not meet them get replies."),
        .own("close", closeCode.expected, closeCode.schema, "Closes the connection with this code."),
        .own("reason", "a text of at most 123 bytes", Schema.text, "The reason beside close.", usual: "none"),
        .own("delay", MockDelay.expected, Schema.times, "How long Shunt waits before the step.", usual: "not at all"),
    ])
    static let replyKeys = Keys<Void>("mockReply", "a reply", required: ["send"], [
        .own("receive", receive, MessageCondition.schema, "The messages of the client to which it replies: true for any, or conditions that must all be met.", usual: "any"),
        .own("send", #"an array of steps like { "text": "pong" }"#, Schema.list(Schema.object("mockStep"), min: 1), "Steps as in script, without receive."),
    ])
    private static let receive = #"true, or an object like { "text": "ping" }"#
    /// Codes that a frame may have (RFC 6455 7.4).
    static let closeCode = ValueKind<Int>.whole(1000...4999, "a code")
}

extension MessageCondition {
    static let keys = Keys<Void>("message", "\"receive\"", [
        .own("text", textTests, Schema.any(#""type": ["string", "boolean"]"#, Schema.object("condition")), "The text of the message; true for any text message."),
        .own("body", #"an object like { "name": "value" }"#, RequestCondition.conditions, "Members of a JSON message by their path: type, items.0.id."),
        .own("json", "any JSON", "", "The JSON message as a whole: objects may have more members, everything else must be equal."),
    ])
    static let schema = Schema.any(Schema.flag, Schema.object("message"))
    static let textTests = "the text, { \"regex\": \"…\" }, or true for any text message"
}
