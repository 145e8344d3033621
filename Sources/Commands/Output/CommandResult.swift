import Admin
import JSON

/// What a command has found out or done: for programs as JSON, for people in words.
struct CommandResult {
    private let json: (inout JSONWriter) -> Void
    private let text: String
    private let status: CInt

    init(_ text: String, status: CInt = 0, json: @escaping (inout JSONWriter) -> Void) {
        (self.text, self.status, self.json) = (text, status, json)
    }

    /// - Parameter members: of an object.
    init(_ text: String, status: CInt = 0, members: @escaping (inout JSONWriter) -> Void) {
        self.init(text, status: status, json: { $0.object(members) })
    }

    init(_ value: some MemberValue, _ text: String, status: CInt = 0) {
        self.init(text, status: status, json: value.write)
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
        operands: ClosedRange<Int> = 0...0, examples: [(what: String, line: String)] = [],
        ask: @escaping @Sendable (_ shunt: () throws -> AdminClient, Arguments) throws -> CommandResult
    ) -> Command {
        Command(
            name: name, summary: summary, usage: usage, details: details,
            options: options + [.running, .profiles, .json], operands: operands, examples: examples, canBeRemote: true
        ) { arguments in
            try ask({ AdminClient(try RunningShunt.find(arguments)) }, arguments).show(arguments)
        }
    }
}
