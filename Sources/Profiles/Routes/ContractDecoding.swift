public import Contracts
import JSON
import Platform

/// What a profile or a route says of a contract.
package enum ContractUse: Sendable {
    case none
    case document(RouteContract)

    var files: [String] { if case .document(let contract) = self { contract.files } else { [] } }
}

extension Route {
    /// What its exchanges are compared with; nil without one.
    public var contract: RouteContract? {
        if case .document(let contract)? = settings.contractUse { contract } else { nil }
    }

    /// It says nothing of one, so that a session's is compared with that of the route in whose place it is.
    package var leavesContractOpen: Bool { settings.contractUse == nil }
}

/// What stands under `contract`; nil without it, and after a report.
func decodeContract(_ fields: Fields) -> ContractUse? {
    guard let value = fields["contract"] else { return nil }
    if value.bool == false { return ContractUse.none }
    guard let name = value.string, !name.isEmpty else {
        return fields.refuse(
            value, "\"contract\" is \(value.string == nil ? spelling(value) : "empty")",
            expected: fields.expected(of: "contract"))
    }
    let reporter = fields.reporter
    let file = reporter.absolute(name)
    reporter.problems.add(contract: file)
    do throws(ContractProblems) {
        let contract = try RouteContract.read(file, name: name)
        for file in contract.files { reporter.problems.add(contract: file) }
        return .document(contract)
    } catch {
        for problem in error.all {
            guard problem.position != nil else {
                reporter.report(
                    value, "\"\(problem.file)\" \(problem.message)", expected: problem.expected, hint: Reporter.ofPaths)
                continue
            }
            // The document is named as the profile names it.
            let directory = problem.file.hasPrefix("/") ? "" : Path.directory(of: reporter.file) + "/"
            Reporter(file: directory + problem.file, problems: reporter.problems)
                .report(problem.position, problem.message, expected: problem.expected)
        }
    }
    return nil
}
