// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension ProgramSettings {
    static let keys = Keys<ProgramSettings>(
        "program", "an origin with \"run\"", required: ["run", "url"],
        [
            .one("run", \.command, .text("a command like \"npm start\"", schema: Schema.fullText, { !$0.utf8.contains(0) && !name(of: $0).isEmpty }), "A command that starts the server and does not end before it; the shell runs it, with the port of \"url\" in PORT."),
            .own("url", "a URL like \"http://localhost:3000\"", Schema.url, "Where the server is reached, as in an origin without a command."),
            .own("in", "a folder like \"../api\"", Schema.fullText, "The folder in which the command runs, relative to this profile.", usual: "the folder of this profile") { $2.directory = directory($0, $1) ?? $2.directory },
            .optional("ready", \.ready, .text("a path like \"/healthz\"", schema: Schema.pattern("^/[!-~]*$"), { $0.hasPrefix("/") && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !$0.contains("#") }), "The server is ready when it responds to a GET of this path with a status from 200 to 399.", usual: "when its port accepts connections"),
            .one("within", \.within, .time("100ms", "1h", like: "2m"), "How long a request waits for the server to be ready.", default: 60_000_000_000),
            .one("start", \.start, .choice, "What starts it: the first request that needs it, or Shunt's own start.", default: .request),
        ])

    private static func directory(_ member: JSONMember, _ fields: Fields) -> String? {
        guard let text = fields.string(member.key) else { return nil }
        if !text.isEmpty, !text.utf8.contains(0) { return fields.reporter.absolute(text) }
        return fields.refuse(
            member.value, "\"\(member.key)\" names no folder", expected: fields.expected(of: member.key))
    }

    static let example = #"{ "run": "npm start", "url": "http://localhost:3000" }"#
}
