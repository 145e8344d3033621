import Platform
import Redaction

extension Command {
    static let mcp = Command(
        name: "mcp",
        summary: "Let a coding agent or an editor look at recorded traffic, by the Model Context Protocol.",
        usage: "mcp [options]",
        details: [
            "Speaks the Model Context Protocol (https://modelcontextprotocol.io) on standard input and output; an editor "
                + "starts it, see docs/mcp.md. Its tools list and show exchanges, count them, check expectations, explain "
                + "routes, and show the state of the running Shunt.",
            "Nothing can be changed unless --allow names it; secrets are replaced in all that a tool says.",
        ],
        options: [
            .value("allow", "use,mocks", default: "nothing", "What tools may change: the active profile, mocks."),
            .running, .identity, .store, .profiles,
        ],
        examples: [
            ("For an editor, in the project's folder", "shunt mcp"),
            ("The agent may switch mocks, too", "shunt mcp --allow mocks"),
        ], run: MCPCommand.run)
}

/// What `shunt mcp` does.
enum MCPCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let session = MCPSession(try server(arguments))
        let failure = await session.read()
        await session.finish()
        if let failure { throw failure }
        try Terminal.finish()
        return 0
    }

    static func server(_ arguments: Arguments) throws -> MCPServer {
        let allowed = Set(arguments.text("allow")?.split(separator: ",").map(String.init) ?? [])
        let known = MCPTool.all.compactMap(\.change)
        if let other = allowed.first(where: { !known.contains($0) }) {
            throw UsageError(
                "--allow “\(other)” is not possible", advice: "Give use, mocks, or both: --allow use,mocks.")
        }
        var rules = RedactionRules()
        // What any profile calls a secret is one, since an answer may be about several.
        for own in StoredTraffic.rules(arguments).values {
            rules = rules.merging(own)
        }
        rules.kept = []
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let redactor = Redactor(key: key, rules: rules)
        return MCPServer(MCPTools(allowed: allowed, arguments: arguments, redactor: redactor))
    }
}
