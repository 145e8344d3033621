import Expectations
import Inspection
import Platform
import Profiles
import Store

// The tools that there are; those that a command does pass their arguments to it.
extension MCPTool {
    static let all = [list, show, count, check, explain, status, mocks, help, use, switchMocks]

    private static let filter = Parameter(
        name: "filter", kind: .text,
        meaning: "A filter of mitmproxy's language, such as `~d HOST & ~c 5xx`; all by default.")
    private static let profile = Parameter(
        name: "profile", kind: .text, meaning: "The name of a profile; the active one by default.")

    private static let list = MCPTool(
        name: "list_traffic", title: "List exchanges",
        meaning:
            "Lists recorded requests with their responses, one in a line, the newest last; each begins with its number.",
        parameters: [
            filter, Parameter(name: "limit", kind: .integer(1...500), meaning: "Lines at most; 50 by default."),
            Parameter(
                name: "before", kind: .integer(1...Int.max),
                meaning: "Only exchanges of smaller numbers: the next page."),
        ]
    ) { call in
        let limit = call.integer("limit") ?? 50
        let filter = call.text("filter")
        // Judged alone, so that what is wrong is said in the client's own words.
        if let filter { _ = try StoredTraffic.filter([filter]) }
        let page = call.integer("before").map { "~id 1-\($0) & !~id \($0)" }
        let parts = [filter.map { "(\($0))" }, page].compactMap { $0 }
        var result = await call.run(
            .logs, [("lines", "\(limit)")], parts.isEmpty ? [] : [parts.joined(separator: " & ")],
            nothing: "No exchanges match.")
        let lines = result.text.split(separator: "\n")
        if !result.isError, lines.count == limit, let first = lines.first?.split(separator: " ").first {
            result.text += "More, perhaps: call it again with before: \(first).\n"
        }
        return result
    }

    private static let show = MCPTool(
        name: "show_exchange", title: "Show an exchange",
        meaning:
            "Shows one exchange: profile, route and why, origin, trust, times, heads with what Shunt changed and why, "
            + "bodies laid out by their types, messages.",
        parameters: [Parameter(name: "id", kind: .integer(1...Int.max), meaning: "Its number.", isRequired: true)]
    ) { call in
        let id = Int64(call.integer("id") ?? 0)
        let arguments = call.tools.arguments
        let reader = try StoredTraffic.open(try StoredTraffic.path(arguments), arguments)
        guard let record = try reader.record(id) else {
            throw CommandFailure(
                "there is no exchange \(id), or not any more", advice: "list_traffic lists those that there are.")
        }
        let calls = record.isCall ? StoredTraffic.calls(arguments) : .none
        let rules = try SharingRules(reader, rules: StoredTraffic.rules(arguments), calls: calls)
        let limits = SharedLimits(lines: 1000, width: 1000, bytes: 64 << 10)
        return MCPResult(try SharedExchange(record, reader, rules, limits).text())
    }

    private static let count = MCPTool(
        name: "count_traffic", title: "Count exchanges",
        meaning:
            "Counts recorded exchanges and failures by host, status or another value, with bytes and percentiles of times.",
        parameters: [
            filter,
            Parameter(name: "by", kind: .choice(StatsCommand.names), meaning: "What to group by; host by default."),
            Parameter(name: "limit", kind: .integer(1...500), meaning: "Groups at most; 50 by default."),
        ]
    ) { call in
        await call.run(
            .stats, [("by", call.text("by")), ("lines", call.integer("limit").map(String.init))],
            call.text("filter").map { [$0] } ?? [])
    }

    private static let check = MCPTool(
        name: "check_expectations", title: "Check expectations",
        meaning: "Checks expectations on recorded traffic, each as `FILTER: COUNT` with 0, 1..3, 1.. or ..3.",
        parameters: [
            Parameter(
                name: "expectations", kind: .texts, meaning: "Such as [\"~d api & ~c 5xx: 0\"].", isRequired: true),
            filter,
        ]
    ) { call in
        let texts = call.texts("expectations")
        guard !texts.isEmpty else { throw CommandFailure("expectations is empty", advice: "Send one at least.") }
        for text in texts {
            // Files of the user are no business of an agent that may only look at traffic.
            guard !Files.isRegular(Path.absolute(text)), try ExpectationFile.read(inline: text) != nil else {
                throw CommandFailure("“\(text)” is no expectation", advice: "Write FILTER: COUNT, such as ~c 5xx: 0.")
            }
        }
        return await call.run(.expect, [("filter", call.text("filter"))], texts)
    }

    private static let explain = MCPTool(
        name: "explain_request", title: "Explain a request",
        meaning:
            "Says which route of a profile would respond to a request and why, its origin, and how the certificate is "
            + "verified. No request is sent.",
        parameters: [
            Parameter(name: "url", kind: .text, meaning: "The request's whole URL.", isRequired: true),
            Parameter(name: "method", kind: .text, meaning: "GET by default."), profile,
            Parameter(name: "headers", kind: .texts, meaning: "Its fields, each as `Name: value`."),
        ]
    ) { call in
        await call.run(
            .explain,
            [("method", call.text("method")), ("profile", call.text("profile"))]
                + call.texts("headers").map { ("header", $0) }, [call.text("url") ?? ""])
    }

    private static let status = MCPTool(
        name: "status", title: "State of Shunt",
        meaning: "Shows the running Shunt: addresses, profiles and which is active, unlocked production, mocks, counts."
    ) { call in await call.run(.status) }

    private static let mocks = MCPTool(
        name: "list_mocks", title: "List mocks",
        meaning: "Lists the mocks of a profile, which are on, and how often each responded.",
        parameters: [profile]
    ) { call in await call.run(.mocks, [("profile", call.text("profile"))]) }

    private static let help = MCPTool(
        name: "help", title: "Help",
        meaning:
            "Describes a subject or a command of shunt, such as filters, profiles, mocks; the resources have the same texts.",
        parameters: [Parameter(name: "subject", kind: .text, meaning: "The name.", isRequired: true)]
    ) { call in
        let name = call.text("subject") ?? ""
        guard let document = MCPDocument.named(name) else {
            let names = HelpTopic.allCases.map(\.rawValue) + Tool.commandNames
            throw CommandFailure(
                "there is no help on “\(name)”", advice: "There are: \(names.joined(separator: ", ")).")
        }
        return MCPResult(document.text)
    }

    private static let use = MCPTool(
        name: "use_profile", title: "Make a profile active",
        meaning: "Makes another profile active, for all clients or for one device. Production stays locked.",
        parameters: [
            Parameter(name: "profile", kind: .text, meaning: "Its name; status lists them.", isRequired: true),
            Parameter(name: "device", kind: .text, meaning: "The name or address of the only device that changes."),
        ], change: "use"
    ) { call in await call.run(.use, [("device", call.text("device"))], [call.text("profile") ?? ""]) }

    private static let switchMocks = MCPTool(
        name: "switch_mocks", title: "Switch mocks",
        meaning: "Switches mocks on or off, all but some off, or begins their sequences again.",
        parameters: [
            Parameter(
                name: "state", kind: .choice(["on", "off", "only", "reset"]), meaning: "What to do.", isRequired: true),
            Parameter(name: "names", kind: .texts, meaning: "The mocks; list_mocks has their names.", isRequired: true),
            profile,
        ], change: "mocks"
    ) { call in
        await call.run(.mocks, [("profile", call.text("profile"))], [call.text("state") ?? ""] + call.texts("names"))
    }
}
