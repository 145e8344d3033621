import Admin
import Age
import Engine
import Inspection
import Profiles
import Store
import TLS

/// One thing that `shunt` can do; all of them stand in ``Tool/commands``.
struct Command: Sendable {
    let name: String
    /// One sentence.
    let summary: String
    /// Behind `shunt`: `use NAME [options]`.
    let usage: String
    /// Paragraphs.
    var details: [String] = []
    /// Between the paragraphs and the options.
    var tables: [HelpTopic.Section] = []
    var options: [Option] = []
    /// How many operands it takes; nil for as many as ``usage`` says.
    var operands: ClosedRange<Int>?
    /// What its first operand may be; none for anything.
    var actions: [Action] = []
    var examples: [(what: String, line: String)] = []
    /// Those that it takes itself, see ``Signals``.
    var signals: [CInt] = []
    /// It talks to the admin interface alone, so that the Shunt may be on another machine.
    var canBeRemote = false
    /// Returns the exit status.
    let run: @Sendable (Arguments) async throws -> CInt

    /// What a command is told to do by its first operand.
    struct Action: Sendable {
        let name: String
        /// How many operands follow.
        let operands: ClosedRange<Int>

        init(_ name: String, _ operands: ClosedRange<Int> = 0...0) { (self.name, self.operands) = (name, operands) }
    }

    /// With those that every command has.
    var allOptions: [Option] { options + [.help] + (canBeRemote ? RemoteShunt.options : []) }
}

extension Command {
    /// As many as the usage names: `NAME`, `[NAME]`, `NAME…` and `[NAME…]`, beside options with their values.
    private var namedOperands: ClosedRange<Int> {
        var (least, most, depth) = (0, 0, 0)
        let words = usage.split(separator: " ")
        for (before, word) in zip(words, words.dropFirst()) where word != "[options]" {
            if word.hasPrefix("-") || before.hasPrefix("-") { continue }
            if word.hasPrefix("[") { depth += 1 }
            if depth == 0 { least += 1 }
            most = word.contains("…") || word.contains("...") ? .max : most == .max ? .max : most + 1
            if word.hasSuffix("]") { depth -= 1 }
        }
        return least...most
    }

    /// Refuses operands that it does not take, and options that do not go with them.
    func check(_ arguments: Arguments) throws {
        let usage = "Usage: shunt \(usage)"
        var (call, count, words) = ("shunt \(name)", operands ?? namedOperands, arguments.operands[...])
        let given = options.filter { arguments.has($0.name) }
        if let option = given.first(where: { $0.replacedOperand != nil }) {
            guard words.isEmpty else {
                throw UsageError("--\(option.name) and “\(words[0])” exclude each other", advice: usage)
            }
            count = 0...0
        }
        let action = actions.first { $0.name == words.first }
        if let action {
            (call, count, words) = (call + " \(action.name)", action.operands, words.dropFirst())
        } else if let word = words.first, !actions.isEmpty {
            let near = Nearest.match(word, in: actions.map(\.name)).map { "Did you mean `\(call) \($0)`? " }
            throw UsageError("unknown action “\(word)”", advice: (near ?? "") + usage)
        }
        for option in given {
            guard option.actions.isEmpty || option.actions.contains(action?.name ?? "") else {
                let actions = option.actions.joined(separator: "|")
                throw UsageError("--\(option.name) is for `shunt \(name) \(actions)` alone", advice: usage)
            }
            if let operand = option.neededOperand, arguments.operands.isEmpty {
                throw UsageError("--\(option.name) needs \(operand)", advice: usage)
            }
        }
        guard words.count >= count.lowerBound else { throw UsageError("`\(call)` lacks an argument", advice: usage) }
        if let extra = words.dropFirst(count.upperBound).first {
            throw UsageError("`\(call)` does not take “\(extra)”", advice: usage)
        }
    }
}

/// Why a command ends without having done its work, with exit status 1.
struct CommandFailure: Error {
    /// Names the thing and what was expected.
    let message: String
    /// The next step.
    let advice: String?

    init(_ message: String, advice: String? = nil) { (self.message, self.advice) = (message, advice) }

    /// What `body` returns; an error gets a beginning and a next step.
    static func of<Value>(_ what: String? = nil, advice: String? = nil, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            let failure = CommandFailure(error)
            throw CommandFailure((what.map { $0 + ": " } ?? "") + failure.message, advice: advice ?? failure.advice)
        }
    }

    /// Any error in words for people.
    init(_ error: any Error) {
        switch error {
        case let error as any Advised: self.init(error.message, advice: error.advice)
        case let error as AdminClientFailure: self.init(error)
        case let error as ProxyError: self.init(error, option: "--port")
        case let error as StoreFailure: self = .reading(error)
        case let error as ExportFailure: self = .exporting(error, nil)
        case let error as RecordingWriteFailure: self = .recording(error)
        case let error as ProfileProblems: self = .profiles(error)
        default: self.init("\(error)")
        }
    }
}
