import JSON
import Redaction

/// The tools for one client, with what they may do and where they look.
struct MCPTools: Sendable {
    /// Bytes of a command's output that are held.
    static let maxGathered = 1 << 20
    private static let (usualBytes, leastBytes, mostBytes) = (32 << 10, 1 << 10, 256 << 10)

    /// Every tool takes it.
    static let maxBytes = MCPTool.Parameter(
        name: "max_bytes", kind: .integer(leastBytes...mostBytes),
        meaning: "Bytes of the text at most; \(usualBytes) by default.")

    /// What `--allow` names.
    let allowed: Set<String>
    /// The arguments of `shunt mcp`: they name the running Shunt and the store.
    let arguments: Arguments
    let redactor: Redactor

    /// Those that the client is told of.
    var offered: [MCPTool] { MCPTool.all.filter { $0.change.map(allowed.contains) ?? true } }

    /// Options that name the Shunt and the store, for a command that has them.
    func place(for command: Command) -> [String] {
        ["port", "profiles", "store", "identity"].compactMap { name in
            guard command.options.contains(where: { $0.name == name }) else { return nil }
            return arguments.text(name).map { "--\(name)=\($0)" }
        }
    }

    /// Checks the arguments, runs the tool, and bounds what it says, without secrets.
    func call(_ tool: MCPTool, _ given: JSONValue?) async -> MCPResult {
        var result: MCPResult
        var limit = Self.usualBytes
        do {
            let call = try checked(tool, given)
            limit = call.integer(Self.maxBytes.name) ?? limit
            result = try await tool.run(call)
        } catch {
            result = MCPResult(CommandFailure(error))
        }
        // Lines, since what one of them quotes does not count for the next one.
        let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            redactor.redact(text: String(line))
        }
        result.text = Self.cut(lines.joined(separator: "\n"), limit)
        return result
    }

    private func checked(_ tool: MCPTool, _ given: JSONValue?) throws -> MCPCall {
        if let change = tool.change, !allowed.contains(change) {
            throw CommandFailure(
                "\(tool.name) is not allowed", advice: "The user has to start it so: shunt mcp --allow \(change)")
        }
        guard let members = given.map(\.object) ?? [] else {
            throw CommandFailure("arguments must be an object", advice: "Send {} for none.")
        }
        let parameters = tool.parameters + [Self.maxBytes]
        var values: [String: JSONValue] = [:]
        for member in members where !member.value.isNull {
            guard let parameter = parameters.first(where: { $0.name == member.key }) else {
                throw CommandFailure(
                    "\(tool.name) has no argument “\(member.key)”",
                    advice: "It has: \(parameters.map(\.name).joined(separator: ", ")).")
            }
            if let problem = parameter.problem(member.value) {
                throw CommandFailure("\(member.key) \(problem)", advice: parameter.meaning)
            }
            values[member.key] = member.value
        }
        if let missing = parameters.first(where: { $0.isRequired && values[$0.name] == nil }) {
            throw CommandFailure("\(missing.name) is missing", advice: missing.meaning)
        }
        return MCPCall(tools: self, values: values)
    }

    /// Ends with a whole line where it can.
    private static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let start = String(decoding: text.utf8.prefix(limit), as: UTF8.self)
        let whole = start.lastIndex(of: "\n").map { start[..<$0] } ?? start[...]
        return whole + "\n… cut after \(limit) bytes: ask for less, or raise max_bytes (up to \(mostBytes))."
    }
}
