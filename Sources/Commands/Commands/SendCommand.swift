import Admin
import Bytes
import Platform

extension Command {
    static let send = Command.admin(
        name: "send",
        summary: "Send a message into an open WebSocket or event stream.",
        usage: "send ID [TEXT] [options]",
        details: [
            "The message goes to the client, or with --to origin to the origin, behind the message that is under way. It "
                + "is recorded as injected. Into an event stream the text goes as the data of an event.",
            "A message to an origin is a write: Shunt refuses it where production is locked.",
        ],
        options: [
            .choice("to", ["client", "origin"], default: "client", "Who gets it."),
            .value("file", "PATH", "Send the bytes of this file as a binary message."),
            .value("event", "TYPE", "The type of an event."),
            .value("event-id", "ID", "The ID of an event."),
        ],
        examples: [
            ("Which streams are open?", "shunt logs '~websocket'"),
            ("Let the app receive a message", "shunt send 17 '{\"type\": \"price\", \"value\": 7}'"),
            ("An event with a type", "shunt send 18 --event update '{\"id\": 1}'"),
            ("A message for the origin", "shunt send 17 --to origin ping"),
        ]
    ) { try SendCommand.run($0, $1) }
}

/// What `shunt send` does.
enum SendCommand {
    static func run(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        let id = try StoredTraffic.identity(arguments.operands[0])
        let to = arguments.text("to") ?? "client"
        let text = arguments.operands.dropFirst().first
        guard (text == nil) == arguments.has("file") else {
            throw UsageError("send needs TEXT or --file PATH, and not both", advice: "shunt send ID 'hello'")
        }
        let file = try arguments.text("file").map(bytes)
        let sent = try shunt().ask(API.sendMessage.of(Int(id))) {
            ($0.text, $0.base64) = (text, file.map { Base64Encoder.text($0) })
            ($0.to, $0.event, $0.id) = (to, arguments.text("event"), arguments.text("event-id"))
        }
        return CommandResult(
            sent, "sent \(Words.count(sent.length, "byte")) to the \(sent.to) of exchange \(sent.exchange)\n")
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        return try UsageError.of("--file", advice: "Name a file that can be read.") { try Files.read(path) }
    }
}
