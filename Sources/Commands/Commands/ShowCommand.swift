import Admin
import Bytes
import Exchanges
import Inspection
import JSON
import Store

extension Command {
    static let show = Command(
        name: "show",
        summary: "Show one exchange completely: summary, heads on both sides, bodies by their type.",
        usage: "show ID [options]",
        details: [
            "If Shunt changed only a few lines of a head, only these are shown: - removed, + added. On a terminal a body "
                + "is cut after \(ShowCommand.lines) lines."
        ],
        options: [
            .flag("all", "Do not cut bodies and long lines on a terminal."),
            .choice(
                "raw", ["request", "response", "origin-request", "origin-response"],
                "Only that body's bytes, as recorded: as the client sent or got it, or as the origin did."
            ).excluding("messages", "json"),
            .flag("messages", "Only the messages of a WebSocket, or the events of a stream, a line for each."),
            .noPager, .running, .identity, .store, .profiles, .json,
        ],
        examples: [
            ("One that `shunt logs` has listed", "shunt show 12"),
            ("A picture that an origin sent", "shunt show 12 --raw response > picture.png"),
            (
                "The messages that the origin of a WebSocket sent",
                "shunt show 12 --messages --json | jq -r 'select(.from == \"origin\").text'"
            ),
        ],
        run: ShowCommand.run)
}

/// What `shunt show` does.
enum ShowCommand {
    /// Of a body, on a terminal.
    static let lines = 200
    /// Characters of a line, on a terminal.
    static let width = 2000

    static func run(_ arguments: Arguments) async throws -> CInt {
        let body = body(arguments)
        let id = try StoredTraffic.identity(arguments.operands[0])
        let path = try StoredTraffic.path(arguments)
        let reader = try StoredTraffic.open(path, arguments)
        let stream = ResultStream(pager: body == nil ? Pager(arguments) : nil)
        do throws(StoreFailure) {
            guard let record = try reader.record(id) else { return try missing(id, reader) }
            let calls = record.isCall ? StoredTraffic.calls(arguments) : .none
            if let body {
                guard try write(record, body, reader, to: stream) else { return 1 }
            } else if arguments.has("messages") {
                let list = MessageList(stream, line(arguments, stream))
                _ = try list.add(id, reader)
            } else if arguments.has("json") {
                var writer = JSONWriter(style: .pretty)
                try writer.object { (object) throws(StoreFailure) in try reader.write(record, calls: calls, to: &object)
                }
                stream.write(writer.bytes)
                stream.write(line: "")
            } else {
                let isShort = stream.isTerminal && !arguments.has("all")
                try ExchangeText(record, reader, calls).write(
                    to: stream, lines: isShort ? lines : .max, width: isShort ? width : .max)
            }
        } catch {
            stream.flush()
            throw CommandFailure.reading(error)
        }
        try stream.finish()
        return 0
    }

    private static func line(_ arguments: Arguments, _ stream: ResultStream) -> MessageLine {
        if arguments.has("json") { return MessageLine(.json) }
        let isShort = stream.isTerminal && !arguments.has("all")
        return MessageLine(.text(color: Terminal.wantsColor(on: 1)), width: isShort ? 200 : .max)
    }

    /// What `--raw` names.
    private typealias RawBody = (name: String, side: BodySide, end: BodyEnd)

    private static func body(_ arguments: Arguments) -> RawBody? {
        arguments.text("raw").map { text in
            (text, text.hasSuffix("request") ? .request : .response, text.hasPrefix("origin") ? .origin : .client)
        }
    }

    private static func missing(_ id: Int64, _ reader: TrafficReader) throws(StoreFailure) -> CInt {
        let newest = try reader.newest()
        Terminal.complain(
            "there is no exchange \(id)",
            advice: newest.map { newest in
                newest < id ? "The newest one is \(newest)." : "It was removed: the oldest ones make room for others."
            } ?? "The store is empty.")
        return 1
    }

    /// False if it was refused, which is told.
    private static func write(
        _ record: TrafficRecord, _ body: RawBody, _ reader: TrafficReader, to stream: ResultStream
    ) throws(StoreFailure) -> Bool {
        var isRefused = false
        try reader.body(of: record, body.side, body.end) { piece in
            // Pieces may begin and end within a character.
            let text = piece.drop { $0 & 0xC0 == 0x80 }
            isRefused = stream.isTerminal && !PlainText.isPlain(text, isCut: true)
            if isRefused { return false }
            stream.write(piece)
            return !stream.isClosed
        }
        stream.flush()
        if isRefused {
            Terminal.complain(
                "the body is not text, and a terminal may obey it",
                advice: "Write it to a file: shunt show \(record.summary.id) --raw \(body.name) > FILE")
        }
        return !isRefused
    }
}
