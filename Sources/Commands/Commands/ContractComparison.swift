import Contracts
import JSON

/// What `shunt diff --openapi` does.
enum ContractComparison {
    static func run(_ arguments: Arguments) throws -> CInt {
        let files = arguments.operands
        guard files.count == 2 else {
            throw UsageError("which documents?", advice: "Name the old one and the new one.")
        }
        let (old, new) = (try ExpectOptions.contract(files[0]), try ExpectOptions.contract(files[1]))
        let changes = ContractDiff.breakingChanges(from: old, to: new)
        let lines = changes.map { "\($0.text)\n    \($0.place)\n" }.joined()
        let summary =
            changes.isEmpty ? "No change breaks clients.\n" : "\(Words.count(changes.count, "breaking change")).\n"
        return CommandResult(lines + summary, status: changes.isEmpty ? 0 : 1) { (object: inout JSONWriter) in
            object.objects("breaking", changes) { one, change in
                one.member("operation", change.operation)
                one.member("part", change.part)
                one.member("message", change.message)
                one.member("place", "\(change.place)")
            }
        }.show(arguments)
    }
}
