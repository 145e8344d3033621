import Admin
import Bytes
import Engine
import Platform

extension Command {
    static let hold = Command.admin(
        name: "hold",
        summary: "Set breakpoints: hold requests, responses or messages, edit them, and let them go on.",
        usage: "hold [FILTER] [options]",
        details: [
            "Without a filter the command lists breakpoints and the exchanges that they hold. FILTER is that of "
                + "`shunt logs`, as far as it is about what is known when a head has come: ~m, ~d, ~u, ~hq, ~tq, ~src, ~env; "
                + "for responses also ~c, ~hs, ~ts, ~route; for messages also ~b, ~bq, ~bs, which look into the message.",
            "A held exchange goes on as it is when its time is over, when its breakpoint is removed and when Shunt stops. "
                + "An edited request is routed and guarded like a new one. `shunt inspect` shows held exchanges in an "
                + "editor. Breakpoints end with Shunt; `shunt run` has none.",
        ],
        options: [
            .flag("response", "Hold responses, not requests.").excluding("both"),
            .flag("message", "Hold messages of WebSockets and events of streams, also of those that are open.")
                .excluding("both", "response"),
            .flag("both", "Hold requests, and then their responses."),
            .value("device", "NAME|ADDRESS", "Of one of `shunt devices`, or of any client's address, alone."),
            .value("for", "TIME", default: "60s", "How long an exchange is held, at most 10m."),
            .value("off", "ID|all", "Remove a breakpoint, or all of them."),
            .value("show", "ID", "Show a held exchange: its head, and its body without coding."),
            .value("continue", "ID", "Let a held exchange go on, with the changes of the options below."),
            .value(
                "respond", "ID", "Respond to a held request instead of its route, or to the sender of a held message."),
            .value("drop", "ID", "End the client's connection, or its stream of HTTP/2; a message alone is left out."),
            .value("method", short: "X", "METHOD", "Another method for the request."),
            .value("host", "HOST", "Another host for the request."),
            .value("path", "PATH", "Another path and query for the request."),
            .value("status", "STATUS", "The response's status."),
            .value(
                "header", short: "H", "'NAME: VALUE'", repeatable: true,
                "A field, in place of those of that name; without a value it takes them out."),
            .value("body", short: "d", "TEXT|@FILE", "Another body, or message; Shunt sets its length."),
        ],
        operands: 0...1,
        examples: [
            ("Hold what the app posts", "shunt hold '~m POST & ~d api.shop.test'"),
            ("Hold failures of staging", "shunt hold --response '~env staging & ~c 5xx'"),
            ("Let one go on with another body", "shunt hold --continue 3 --body '{\"count\": 0}'"),
            ("Respond in place of the origin", "shunt hold --respond 3 --status 503"),
            ("Hold what an origin says about prices", "shunt hold --message '~u /live & ~bs price'"),
            ("No more breakpoints", "shunt hold --off all"),
        ]
    ) { try HoldCommand.run($0, $1) }
}

/// What `shunt hold` does.
enum HoldCommand {
    private static let actions = ["off", "show", "continue", "respond", "drop"]
    private static let edits = ["method", "host", "path", "status", "header", "body"]

    static func run(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        let chosen = actions.filter { arguments.has($0) }
        guard chosen.count <= 1 else {
            throw UsageError("--\(chosen[0]) and --\(chosen[1]) exclude each other", advice: "Give one of them.")
        }
        let settings = ["response", "both", "message", "device", "for"]
        if let filter = arguments.operands.first {
            try refuse(chosen + edits, arguments, "A filter sets a breakpoint: shunt hold FILTER")
            return try set(filter, shunt, arguments)
        }
        try refuse(settings, arguments, "Usage: shunt hold FILTER --for TIME")
        switch chosen.first {
        case "off":
            try refuse(edits, arguments, "Usage: shunt hold --off ID")
            let id = arguments.text("off") == "all" ? nil : try number("off", arguments)
            let left = try shunt().ask(API.removeBreakpoints) { $0.id = id }
            return CommandResult(left, text(left.breakpoints, []))
        case "show":
            try refuse(edits, arguments, "Usage: shunt hold --show ID")
            let message = try shunt().ask(API.showHeld.of(try number("show", arguments)))
            return CommandResult(message, text(message))
        case "continue": return try goOn(shunt, arguments)
        case "respond": return try respond(shunt, arguments)
        case "drop":
            try refuse(edits, arguments, "Usage: shunt hold --drop ID")
            return try result(shunt().ask(API.dropHeld.of(try number("drop", arguments))))
        default:
            try refuse(edits, arguments, "They change a held exchange: shunt hold --continue ID --status 503")
            return try result(shunt().ask(API.held))
        }
    }

    private static func refuse(_ names: [String], _ arguments: Arguments, _ usage: String) throws {
        if let name = names.first(where: arguments.has) {
            throw UsageError("--\(name) means nothing here", advice: usage)
        }
    }

    private static func number(_ name: String, _ arguments: Arguments) throws -> Int {
        let text = arguments.text(name) ?? ""
        guard let number = Int(text), number > 0 else {
            throw UsageError(
                "--\(name) “\(text)” is no number", advice: "`shunt hold` lists what is held with its number.")
        }
        return number
    }

    private static func set(
        _ filter: String, _ shunt: () throws -> AdminClient, _ arguments: Arguments
    ) throws -> CommandResult {
        let seconds = try arguments.seconds("for", atMost: Breakpoint.allowed.upperBound)
        let all = try shunt().ask(API.addBreakpoint) {
            $0.filter = filter
            $0.phase = ["both", "response", "message"].first { arguments.has($0) } ?? "request"
            ($0.device, $0.seconds) = (arguments.text("device"), seconds)
        }
        return CommandResult(all, text(all.breakpoints, []))
    }

    // MARK: Held exchanges

    private static func goOn(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        let (id, status, body) = (try number("continue", arguments), try status(arguments), try body(arguments))
        let changed = try ExplainCommand.read(headers: arguments.texts("header"))
        let shunt = try shunt()
        var fields: [[String]]?
        if !changed.isEmpty {
            let names = Set(changed.map { $0.name.lowercased() })
            fields =
                try shunt.ask(API.showHeld.of(id)).fields.filter { !names.contains($0[0].lowercased()) }
                + changed.filter { !$0.value.isEmpty }.map { [$0.name, $0.value] }
        }
        return try result(
            shunt.ask(API.continueHeld.of(id)) {
                ($0.method, $0.host, $0.path) = (
                    arguments.text("method"), arguments.text("host"), arguments.text("path")
                )
                ($0.status, $0.fields, $0.body, $0.base64) = (status, fields, body.text, body.base64)
            })
    }

    private static func respond(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        try refuse(["method", "host", "path"], arguments, "A response has a status, fields and a body.")
        let (id, status, body) = (try number("respond", arguments), try status(arguments), try body(arguments))
        let fields = try ExplainCommand.read(headers: arguments.texts("header")).map { [$0.name, $0.value] }
        return try result(
            shunt().ask(API.respondToHeld.of(id)) {
                ($0.status, $0.body, $0.base64) = (status, body.text, body.base64)
                if !fields.isEmpty { $0.fields = fields }
            })
    }

    private static func status(_ arguments: Arguments) throws -> Int? {
        guard let text = arguments.text("status") else { return nil }
        guard let status = Int(text), (200...599).contains(status) else {
            throw UsageError("--status “\(text)” is no final status", advice: "Give one from 200 to 599.")
        }
        return status
    }

    /// A body as text, or as Base64 where it is no text.
    private static func body(_ arguments: Arguments) throws -> (text: String?, base64: String?) {
        guard let text = arguments.text("body"), text.hasPrefix("@") else { return (arguments.text("body"), nil) }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(String(text.dropFirst())) } catch {
            throw UsageError("--body: \(error)", advice: "Name a file, or write the text itself.")
        }
        if let body = String(validating: bytes, as: UTF8.self) { return (body, nil) }
        return (nil, Base64Encoder.text(bytes))
    }

    // MARK: Words

    private static func result(_ list: Record<API.HeldList>) -> CommandResult {
        CommandResult(list, text(list.breakpoints, list.held))
    }

    private static func text(_ breakpoints: [Record<API.Breakpoint>], _ held: [Record<API.Held>]) -> String {
        guard !breakpoints.isEmpty || !held.isEmpty else { return "There are no breakpoints.\n" }
        let rows = breakpoints.map { breakpoint in
            [
                "\(breakpoint.id)", breakpoint.phase, breakpoint.device ?? "all", Words.span(breakpoint.seconds),
                "\(breakpoint.held)", breakpoint.filter,
            ]
        }
        let table = TextTable([["BREAKPOINT", "PHASE", "CLIENTS", "TIME", "HELD", "FILTER"]] + rows).listing
        guard !held.isEmpty else { return table }
        let waiting = held.map { exchange in
            [
                "\(exchange.id)", exchange.phase, Words.span((exchange.millisecondsLeft + 999) / 1000),
                exchange.method, exchange.from ?? exchange.status.map { "\($0)" } ?? "-", PlainText.clean(exchange.url),
            ]
        }
        return table + "\n" + TextTable([["HELD", "PHASE", "LEFT", "METHOD", "STATUS", "URL"]] + waiting).listing
    }

    private static func text(_ message: Record<API.HeldMessage>) -> String {
        let start =
            message.from.map { "\(message.kind ?? "") of the \($0), \(message.url)" } ?? message.status.map {
                "\($0) to \(message.method) \(message.url)"
            }
            ?? "\(message.method) \(message.path)\nHost: \(message.host)"
        let body = message.body.map { $0.isEmpty ? "" : "\n\($0)\n" } ?? message.base64.map { "\n\($0)\n" } ?? ""
        let text = "\(start)\n" + message.fields.map { "\($0[0]): \($0[1])\n" }.joined() + body
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { PlainText.line($0.utf8) }
            .joined(separator: "\n") + (message.note.map { "\n\($0)\n" } ?? "")
    }
}
