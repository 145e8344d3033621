import Contracts
import Expectations
import GraphQL
import Platform
import Profiles

/// Expectations as options and operands name them.
enum ExpectOptions {
    static let expect = Option.value(
        "expect", "FILE|TEXT", repeatable: true,
        "Expectations on the traffic: a file (docs/expectations.md), or 'FILTER: COUNT' with 0, 1..3, 1.. or ..3, or "
            + "'never production'.")

    static let openAPI: [Option] = [
        .value(
            "openapi", "FILE", repeatable: true,
            "A document of OpenAPI 3.0 or 3.1 that the traffic has to fit, in YAML or JSON."),
        .flag("formats", "Check \"format\" in the schemas of --openapi, too.").needing("openapi"),
    ]

    /// Reads all of them; every problem is told where there are any.
    static func read(_ texts: [String]) throws -> [Expectation] {
        var found: [Expectation] = []
        var problems: [ProfileProblem] = []
        for text in texts {
            do throws(ProfileProblems) { found += try read(text) } catch { problems += error.all }
        }
        guard problems.isEmpty else {
            throw CommandFailure(
                "the expectations are wrong:\n" + problems.map { "  \($0)" }.joined(separator: "\n"),
                advice: "docs/expectations.md describes them.")
        }
        return found
    }

    /// The documents of --openapi.
    static func contracts(_ arguments: Arguments) throws -> [ContractExpectation] {
        try arguments.texts("openapi").map { file in
            let contract = try contract(file, assertsFormats: arguments.has("formats"))
            return ContractExpectation(contract, name: Path.short(Path.absolute(file)))
        }
    }

    /// A document of OpenAPI.
    static func contract(_ file: String, assertsFormats: Bool = false) throws -> APIContract {
        let path = Path.absolute(file)
        do throws(ContractProblems) {
            return try APIContract(path, name: Path.short(path), assertsFormats: assertsFormats)
        } catch {
            throw CommandFailure(
                "\(file) is wrong:\n" + error.all.map { "  \($0)" }.joined(separator: "\n"),
                advice: "docs/contracts.md says what is read.")
        }
    }

    /// A schema of GraphQL.
    static func schema(_ file: String) throws -> GraphQLSchema {
        let path = Path.absolute(file)
        let bytes = try Files.read(path, limit: GraphQLSchema.maxBytes)
        return try CommandFailure.of(advice: "docs/contracts.md says what is read.") {
            try GraphQLSchema(bytes, name: Path.short(path))
        }
    }

    private static func read(_ text: String) throws(ProfileProblems) -> [Expectation] {
        let path = Path.absolute(text)
        if !Files.isRegular(path), let expectation = try ExpectationFile.read(inline: text) { return [expectation] }
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(path) } catch {
            let problems = ProblemList()
            Reporter(file: text, problems: problems).report(
                nil, "cannot be read: \(error.reason)", expected: "a file with expectations, or 'FILTER: COUNT'")
            throw ProfileProblems(all: problems.all)
        }
        return try ExpectationFile.read(bytes, path: Path.short(path))
    }
}
