import Admin
import Engine
import Expectations
import Filter
import JSON
import Platform
import Profiles
import Store

extension Command {
    static let session = Command.admin(
        name: "session",
        summary: "Lay mocks and faults over a profile for one test's requests alone.",
        usage: "session start|list|show|routes|expect|verify|reset|end [ID] [options]",
        details: [
            "A session has routes, states, sequences, a network, traffic and expectations of its own; what it has no route "
                + "for is its profile's. Requests carry its identifier by the field Shunt-Session, the cookie "
                + "shunt-session, or come to a port of its own. docs/sessions.md describes it.",
            "`start` prints the identifier, and with --own-port the URL; `routes ID FILE` adds routes, `routes ID` lists them; "
                + "`expect ID TEXT…` adds expectations, which `verify ID` checks on the traffic of the session; `reset "
                + "ID` takes its routes and states away; `end ID` ends it, `end all` all of them.",
            "Exit status of `verify`: 0: all are met, 2: some are not.",
        ],
        options: [
            .value("over", "PROFILE", default: "the active one", "The profile under it.")
                .of("start"),
            .value("name", "NAME", "What people call it.").of("start"),
            .flag("own-port", "Open a port for it, whose requests need no identifier.").of("start"),
            .value("idle", "TIME", default: "30m", "It ends after so long without a request, at most 24h.")
                .of("start"),
            .value("network", "NAME", "The network of its clients, see `shunt network --help`.").of("start"),
        ],
        actions: [
            Action("start"), Action("list"), Action("show", 1...1), Action("routes", 1...999),
            Action("expect", 2...999), Action("verify", 1...1), Action("reset", 1...1), Action("end", 1...1),
        ],
        examples: [
            ("A session over staging", "shunt session start --over staging"),
            ("Add routes, and list them with their hits", "shunt session routes 3f0c9a41b7d25e68 routes.json"),
            ("What the test has to send", "shunt session expect 3f0c9a41b7d25e68 '~m POST & ~u /orders: 1'"),
            ("Check it", "shunt session verify 3f0c9a41b7d25e68"),
            ("End it", "shunt session end 3f0c9a41b7d25e68"),
        ]
    ) { try SessionCommand.run($0, $1) }
}

/// What `shunt session` does.
enum SessionCommand {
    static func run(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        let (action, rest) = (arguments.operands[0], Array(arguments.operands.dropFirst()))
        switch action {
        case "start": return try start(shunt, arguments)
        case "list":
            let list = try shunt().ask(API.sessions)
            return CommandResult(list, text(list.sessions))
        case "show":
            let session = try shunt().ask(API.showSession.of(try id(rest)))
            return CommandResult(session, text([session]))
        case "routes":
            let routes = try routes(try id(rest), rest.dropFirst(), shunt)
            return CommandResult(routes, text(routes.routes))
        case "expect":
            let (id, all) = (try id(rest), try rest.dropFirst().flatMap(expectations))
            let added = try shunt().ask(API.addExpectations.of(id)) { $0.expect = all }
            return CommandResult(added, added.names.map { "expected  \($0)\n" }.joined())
        case "verify":
            let result = try shunt().ask(API.verify.of(try id(rest)))
            let text = result.failures.map { "✗ \($0)\n" }.joined()
            let sum =
                "\(result.expectations.count - result.failures.count) of \(result.expectations.count) met over "
                + "\(result.exchanges) exchanges\n"
            return CommandResult(result, text + sum, status: result.isMet ? 0 : ExpectCommand.notMet)
        case "reset":
            let routes = try shunt().ask(API.removeSessionRoutes.of(try id(rest)))
            return CommandResult(routes, "the session has no routes and no states any more\n")
        default: return try end(rest[0], shunt)
        }
    }

    private static func start(_ shunt: () throws -> AdminClient, _ arguments: Arguments) throws -> CommandResult {
        let idle = try arguments.seconds("idle", atMost: ClientSession.allowedIdle.upperBound)
        let session = try shunt().ask(API.startSession) {
            ($0.name, $0.profile, $0.network) = (
                arguments.text("name"), arguments.text("over"), arguments.text("network")
            )
            ($0.hasPort, $0.idleSeconds) = (arguments.has("own-port") ? true : nil, idle)
        }
        return CommandResult(session, ([session.id] + [session.url].compactMap(\.self)).joined(separator: " ") + "\n")
    }

    private static func end(_ which: String, _ shunt: () throws -> AdminClient) throws -> CommandResult {
        let shunt = try shunt()
        let ids = which == "all" ? try shunt.ask(API.sessions).sessions.map(\.id) : [try id([which])]
        for id in ids { _ = try shunt.ask(API.endSession.of(id)) }
        return CommandResult(
            ids.isEmpty ? "there is no session\n" : ids.map { "ended  \($0)\n" }.joined(),
            members: { $0.member("ended", ids) })
    }

    private static func routes(
        _ id: String, _ files: ArraySlice<String>, _ shunt: () throws -> AdminClient
    ) throws -> Record<API.SessionRoutes> {
        let shunt = try shunt()
        for file in files {
            _ = try shunt.ask(API.addSessionRoutes.of(id), sending: try read(file))
        }
        return try shunt.ask(API.sessionRoutes.of(id))
    }

    private static func read(_ file: String) throws -> [UInt8] {
        try CommandFailure.of(advice: "Name a file with routes as in a profile.") {
            try Files.read(Path.absolute(file))
        }
    }

    /// The expectation that the text is, in the form of `--expect`, or the expectations of the file that it names.
    private static func expectations(_ text: String) throws -> [JSONValue] {
        let path = Path.absolute(text)
        guard Files.isRegular(path) else {
            return [try JSONReader.read(JSONWriter.bytes(of: text), dialect: .strict)]
        }
        let value = try JSONReader.read(try read(text))
        return value["expect"]?.array ?? value.array ?? [value]
    }

    private static func id(_ operands: [String]) throws -> String {
        let text = operands[0]
        guard text.utf8.count == 16, text.utf8.allSatisfy({ ($0 | 0x20) &- 0x61 < 6 || $0 &- 0x30 < 10 }) else {
            throw UsageError("“\(text)” is no session's identifier", advice: "`shunt session list` shows them.")
        }
        return text
    }

    private static func text(_ sessions: [Record<API.Session>]) -> String {
        guard !sessions.isEmpty else { return "there is no session\n" }
        let rows = sessions.map { session in
            [
                session.id, session.name ?? "", session.profile, "\(session.routes)", "\(session.requests)",
                Words.span(session.secondsLeft), session.url ?? "", session.problem ?? "",
            ]
        }
        return TextTable(
            [["ID", "NAME", "PROFILE", "ROUTES", "REQUESTS", "ENDS IN", "URL", "PROBLEM"]] + rows, rightAligned: [3, 4]
        ).listing
    }

    private static func text(_ routes: [Record<API.SessionRoute>]) -> String {
        guard !routes.isEmpty else { return "the session has no routes\n" }
        let rows = routes.map {
            [$0.name, $0.label, ([$0.responder] + $0.targets).joined(separator: " "), "\($0.hits)"]
        }
        return TextTable([["NAME", "ROUTE", "RESPONDER", "HITS"]] + rows, rightAligned: [3]).listing
    }
}

/// The check of a session's expectations.
enum SessionCheck {
    static func verify(
        _ texts: [[UInt8]], of session: String, _ reader: TrafficReader, profiles: ProfileLibrary?
    ) throws -> Record<API.Verification> {
        let expectations = try texts.flatMap { try ExpectationFile.read(posted: $0, isTrusted: true) }
        let traffic = try Observations(reader, profiles: profiles, within: try TrafficFilter("~session \(session)"))
        let report = try ExpectCommand.check(expectations, traffic)
        let values = try JSONReader.read(report.json, dialect: .strict)["expectations"]?.array
        guard let values else { return .blank }
        return Record {
            ($0.isMet, $0.exchanges) = (report.failed.isEmpty, report.exchanges)
            ($0.expectations, $0.failures) = (values, report.failureTexts)
        }
    }
}
