import Admin
import JSON

/// What a command has found out or done: for programs as JSON, for people in words.
struct CommandResult {
    private let text: String
    private var status: CInt = 0
    private let json: (inout JSONWriter) -> Void
}

extension CommandResult {
    /// With an array of objects as JSON, one for each element.
    static func list<Element>(
        _ text: String, status: CInt = 0, _ elements: [Element],
        members: @escaping (_ object: inout JSONWriter, Element) -> Void
    ) -> CommandResult {
        CommandResult(text: text, status: status) { writer in
            writer.array { array in
                for element in elements { array.object { members(&$0, element) } }
            }
        }
    }

    init(_ text: String, status: CInt = 0, members: @escaping (_ object: inout JSONWriter) -> Void) {
        self.init(text: text, status: status, json: { $0.object(members) })
    }

    init(_ value: some MemberValue, _ text: String, status: CInt = 0) {
        self.init(text: text, status: status, json: value.write)
    }

    /// Prints one of the two; returns the exit status.
    func show(_ arguments: Arguments) -> CInt {
        if arguments.has("json") { Terminal.out(json: json) } else { Terminal.tell(text, arguments) }
        return status
    }
}

extension Command {
    /// A command that asks a running Shunt, which may be elsewhere, and prints what it says.
    ///
    /// - Parameter ask: checks the command line, and then finds and asks the Shunt.
    static func admin(
        name: String, summary: String, usage: String, details: [String] = [], options: [Option] = [],
        operands: ClosedRange<Int>? = nil, actions: [Action] = [], examples: [(what: String, line: String)] = [],
        ask: @escaping @Sendable (_ shunt: () throws -> AdminClient, Arguments) throws -> CommandResult
    ) -> Command {
        Command(
            name: name, summary: summary, usage: usage, details: details,
            options: options + [.running, .profiles, .json], operands: operands, actions: actions, examples: examples,
            canBeRemote: true
        ) { arguments in
            try ask({ AdminClient(try RunningShunt.find(arguments)) }, arguments).show(arguments)
        }
    }
}
