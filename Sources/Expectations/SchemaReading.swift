import Contracts
import JSON
import Platform
import Profiles

extension CheckReader {
    /// Reads a JSON Schema, or the file that a text names; nil where a problem was reported.
    func schema(_ value: JSONValue) -> Schema? {
        let sources = ContractSources(read)
        do {
            let document: Int
            if let path = value.string {
                document = try sources.open(reporter.absolute(path), name: path)
            } else {
                // Several schemas of one file are documents of their own, with the same folder.
                let uri = "file://\(Path.absolute(reporter.file))?\(value.position.offset)"
                document = sources.add(value, uri: uri, name: reporter.file)
            }
            return try Schema(document: document, of: sources, refusesUnknown: true)
        } catch let problem as ContractProblem {
            report(problem, for: value)
        } catch {
            for problem in (error as? ContractProblems)?.all ?? [] { report(problem, for: value) }
        }
        return nil
    }

    private func report(_ problem: ContractProblem, for value: JSONValue) {
        guard problem.position != nil else {
            return wrong(value, "\(problem.file) \(problem.message)", expected: problem.expected ?? "a JSON Schema")
        }
        Reporter(file: problem.file, problems: reporter.problems)
            .report(problem.position, problem.message, expected: problem.expected)
    }
}
