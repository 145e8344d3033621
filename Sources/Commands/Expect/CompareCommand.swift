import Expectations
import Platform
import Store

extension Command {
    static let compare = Command(
        name: "compare",
        summary: "Compare the traffic of two runs, for a pull request.",
        usage: "compare BASE HEAD",
        details: [
            "BASE and HEAD are HTTP Archives (.har) or stores of `shunt run --store FILE`. The differences are written "
                + "as Markdown: new and missing endpoints, statuses, shapes of JSON in requests and responses, counts, "
                + "and times, where only changes beyond the noise count.",
            "Exit status: 0: alike, 1: different or slower.",
        ],
        examples: [("Main and this branch", "shunt compare base.db head.db > comment.md")],
        run: CompareCommand.run)
}

/// What `shunt compare` does.
enum CompareCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let base = try ComparedRun(arguments.operands[0])
        let head = try ComparedRun(arguments.operands[1])
        let comparison = try RunComparison(base: base.traffic, head: head.traffic)
        Terminal.out(comparison.markdown)
        return comparison.isDifferent ? 1 : 0
    }
}

/// A run as a file: a store, or an archive that is read into one.
private final class ComparedRun {
    private let archive: ImportedArchive?
    let traffic: Observations

    init(_ file: String) throws {
        let path: String
        if file.lowercased().hasSuffix(".har") {
            let imported = try ImportedArchive(file)
            try imported.requireAll(file)
            (archive, path) = (imported, imported.store)
        } else {
            (archive, path) = (nil, Path.absolute(file))
        }
        let reader = try StoredTraffic.open(path)
        traffic = try Observations(reader, profiles: nil)
    }
}
