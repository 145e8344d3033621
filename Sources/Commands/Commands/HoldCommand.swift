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
            .flag("response", "Hold responses, not requests.").excluding("both").needing(operand: "FILTER"),
            .flag("message", "Hold messages of WebSockets and events of streams, also of those that are open.")
                .excluding("both", "response").needing(operand: "FILTER"),
            .flag("both", "Hold requests, and then their responses.").needing(operand: "FILTER"),
            .value("device", "NAME|ADDRESS", "Of one of `shunt devices`, or of any client's address, alone.")
                .needing(operand: "FILTER"),
            .value("for", "TIME", default: "60s", "How long an exchange is held, at most 10m.")
                .needing(operand: "FILTER"),
            .value("off", "ID|all", "Remove a breakpoint, or all of them.").replacing(operand: "FILTER"),
            .value("show", "ID", "Show a held exchange: its head, and its body without coding.")
                .replacing(operand: "FILTER").excluding("off"),
            .value("continue", "ID", "Let a held exchange go on, with the changes of the options below.")
                .replacing(operand: "FILTER").excluding("off", "show"),
            .value(
                "respond", "ID", "Respond to a held request instead of its route, or to the sender of a held message."
            ).replacing(operand: "FILTER").excluding("off", "show", "continue"),
            .value("drop", "ID", "End the client's connection, or its stream of HTTP/2; a message alone is left out.")
                .replacing(operand: "FILTER").excluding("off", "show", "continue", "respond"),
            .value("method", short: "X", "METHOD", "Another method for the request.").needing("continue"),
            .value("host", "HOST", "Another host for the request.").needing("continue"),
            .value("path", "PATH", "Another path and query for the request.").needing("continue"),
            .value("status", "STATUS", "The response's status.").needing(oneOf: "continue", "respond"),
            .value(
                "header", short: "H", "'NAME: VALUE'", repeatable: true,
                "A field, in place of those of that name; without a value it takes them out."
            ).needing(oneOf: "continue", "respond"),
            .value("body", short: "d", "TEXT|@FILE", "Another body, or message; Shunt sets its length.")
                .needing(oneOf: "continue", "respond"),
        ],
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
    static func run(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        if let filter = arguments.operands.first { return try set(filter, shunt, arguments) }
        if arguments.has("off") {
            let id = arguments.text("off") == "all" ? nil : try number("off", arguments)
            let left = try shunt().ask(API.removeBreakpoints) { $0.id = id }
            return CommandResult(left, text(left.breakpoints, []))
        }
        if arguments.has("show") {
            let message = try shunt().ask(API.showHeld.of(try number("show", arguments)))
            return CommandResult(message, text(message))
        }
        if arguments.has("continue") { return try goOn(shunt, arguments) }
        if arguments.has("respond") { return try respond(shunt, arguments) }
        if arguments.has("drop") { return try result(shunt().ask(API.dropHeld.of(try number("drop", arguments)))) }
        return try result(shunt().ask(API.held))
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
        let bytes = try UsageError.of("--body", advice: "Name a file, or write the text itself.") {
            try Files.read(String(text.dropFirst()))
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
