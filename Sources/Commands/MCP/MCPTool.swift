import JSON

/// A tool of `shunt mcp`: what it takes, and what does it.
struct MCPTool: Sendable {
    /// An argument, from which the schema and the checks are made.
    struct Parameter: Sendable {
        enum Kind: Sendable {
            case text
            case choice([String])
            case integer(ClosedRange<Int>)
            case texts
        }

        let name: String
        let kind: Kind
        let meaning: String
        var isRequired = false
    }

    let name: String
    let title: String
    let meaning: String
    var parameters: [Parameter] = []
    /// What `--allow` must name; nil for a tool that changes nothing.
    var change: String?
    let run: @Sendable (MCPCall) async throws -> MCPResult

    func write(to object: inout JSONWriter) {
        object.members(["name": name, "description": meaning])
        object.object("inputSchema") { schema in
            schema.member("type", "object")
            schema.object("properties") { properties in
                for one in parameters { properties.object(one.name, one.write) }
            }
            schema.members(["required": parameters.filter(\.isRequired).map(\.name), "additionalProperties": false])
        }
        object.object("annotations") {
            $0.members(["title": title, "readOnlyHint": change == nil])
            if change != nil { $0.members(["destructiveHint": false, "idempotentHint": true]) }
            $0.member("openWorldHint", false)
        }
    }
}

extension MCPTool.Parameter {
    func write(to object: inout JSONWriter) {
        switch kind {
        case .text: object.member("type", "string")
        case .choice(let words):
            object.members(["type": "string", "enum": words])
        case .integer(let range):
            object.members(["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound])
        case .texts:
            object.member("type", "array")
            object.object("items") { $0.member("type", "string") }
        }
        object.member("description", meaning)
    }

    /// Why a value cannot be taken; nil if it can.
    func problem(_ value: JSONValue) -> String? {
        switch kind {
        case .text where value.string != nil: nil
        case .text: "must be a string"
        case .choice(let words) where value.string.map(words.contains) == true: nil
        case .choice(let words): "must be one of \(words.joined(separator: ", "))"
        case .integer(let range) where value.number?.int64.map({ range.contains(Int(clamping: $0)) }) == true: nil
        case .integer(let range): "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .texts where value.array?.allSatisfy({ $0.string != nil }) == true: nil
        case .texts: "must be an array of strings"
        }
    }
}

/// The arguments of one call, which fit the tool's table.
struct MCPCall: Sendable {
    let tools: MCPTools
    let values: [String: JSONValue]

    func text(_ name: String) -> String? { values[name]?.string }
    func texts(_ name: String) -> [String] { values[name]?.array?.compactMap(\.string) ?? [] }
    func integer(_ name: String) -> Int? { values[name]?.number?.int64.map { Int(clamping: $0) } }

    /// Runs a command line in this process, as the user would type it.
    ///
    /// - Parameters:
    ///   - options: left out where the value is nil.
    ///   - nothing: what is said where the command prints nothing.
    func run(
        _ command: Command, _ options: [(name: String, value: String?)] = [], _ operands: [String] = [],
        nothing: String = "Done."
    ) async -> MCPResult {
        var words = [command.name] + tools.place(for: command)
        for (name, value) in options { if let value { words.append("--\(name)=\(value)") } }
        words += ["--"] + operands
        let terminal = CapturedTerminal(variables: nil, limit: MCPTools.maxGathered)
        let line = words
        let status = await Terminal.$captured.withValue(terminal) { await Tool.run(line) }
        let (output, errors) = (terminal.output, terminal.errors)
        let text = output + (output.isEmpty || errors.isEmpty ? "" : "\n") + errors
        // Other statuses say what was found, such as expectations that are not met.
        let isError = output.isEmpty && (status == 1 || status == 64)
        return MCPResult(text.isEmpty ? nothing : text, isError: isError)
    }
}

/// What a tool says.
struct MCPResult: Sendable {
    var text: String
    var isError: Bool

    init(_ text: String, isError: Bool = false) { (self.text, self.isError) = (text, isError) }

    init(_ failure: CommandFailure) {
        self.init(failure.message + (failure.advice.map { "\n" + $0 } ?? ""), isError: true)
    }
}
