import Expectations
import Inspection
import Platform
import Profiles
import Store

extension Command {
    static let expect = Command(
        name: "expect",
        summary: "Check expectations on recorded traffic.",
        usage: "expect EXPECTATIONS… [options]",
        details: [
            "EXPECTATIONS are files, or texts like '~d api & ~c 5xx: 0'. The traffic is the store's, or that of an archive "
                + "(--har FILE) of a browser or another proxy. --openapi compares each exchange with a document of an "
                + "API, see docs/contracts.md, and --graphql its calls of GraphQL with a schema.",
            "Exit status: 0: all are met, 2: some are not, 1: the traffic cannot be read, 64: wrong usage.",
        ],
        options: [
            .value("har", "FILE", "An HTTP Archive to check instead of a store.").excluding("store")
        ] + ExpectOptions.openAPI + [
            .value(
                "graphql", "FILE", repeatable: true,
                "The schema that calls of GraphQL have to fit: a document of types (SDL), or the result of an introspection."
            ),
            .value("filter", "FILTER", "Check only these exchanges, see `shunt logs --help`."),
            .flag(
                "suggest",
                "Write expectations that this traffic meets, the most telling first, instead of checking any."),
            .flag("schema", "Write the JSON Schema of files with expectations, for editors."),
        ] + ReportOptions.options + [.running, .store, .profiles],
        operands: 0...1000,
        examples: [
            ("No failures of the server in recorded traffic", "shunt expect '~c 5xx: 0'"),
            ("Expectations to begin with", "shunt expect --suggest > checkout.json5"),
            ("The traffic of a browser", "shunt expect '~c 5xx: 0' --har shop.har"),
            ("Do clients ask for what the schema has?", "shunt expect --graphql schema.graphql"),
            ("Does the API respond as its document says?", "shunt expect --openapi api.yaml --filter '~d api'"),
        ], run: ExpectCommand.run)
}

/// What `shunt expect` does.
enum ExpectCommand {
    /// The exit status where expectations are not met.
    static let notMet: CInt = 2

    static func run(_ arguments: Arguments) async throws -> CInt {
        if arguments.has("schema") {
            Terminal.out(ExpectationSchema.text)
            return 0
        }
        let reports = try ReportOptions.read(arguments)
        guard
            arguments.has("suggest")
                == (arguments.operands.isEmpty && !arguments.has("openapi") && !arguments.has("graphql"))
        else {
            throw UsageError(
                "which expectations?",
                advice:
                    "Name files, write 'FILTER: COUNT' or give --openapi or --graphql FILE, or give --suggest alone.")
        }
        let contracts = try ExpectOptions.contracts(arguments)
        let schemas = try arguments.texts("graphql").map { GraphQLExpectation(try ExpectOptions.schema($0)) }
        let expectations = try ExpectOptions.read(arguments.operands)
        let profiles = try? Project.find(arguments).load()
        var imported: ImportedArchive?
        if let file = arguments.text("har") {
            imported = try ImportedArchive(file)
            try imported?.requireAll(file)
        }
        // The archive's folder is removed with it.
        defer { withExtendedLifetime(imported) {} }
        let path: String
        if let imported { path = imported.store } else { path = try StoredTraffic.path(arguments) }
        let reader = try StoredTraffic.open(path, arguments)
        let filter = try StoredTraffic.filter(arguments.texts("filter"))
        let traffic = try Observations(reader, profiles: profiles, within: arguments.has("filter") ? filter : nil)
        if arguments.has("suggest") {
            Terminal.out(try Suggestions(traffic).text)
            return 0
        }
        var report = try check(expectations, traffic, contracts)
        if !schemas.isEmpty {
            report = try ExpectationReport(report.results + schemas.flatMap { try $0.check(traffic) }, traffic)
        }
        try reports.tell(report, traffic, reader)
        return report.failed.isEmpty ? 0 : notMet
    }

    static func check(
        _ expectations: [Expectation], _ traffic: Observations, _ contracts: [ContractExpectation] = []
    ) throws -> ExpectationReport {
        var results = try traffic.check(expectations)
        for contract in contracts { results += try contract.check(traffic) }
        return try ExpectationReport(results, traffic)
    }
}

/// An archive as a store in a folder of its own, which goes with this.
final class ImportedArchive {
    private let folder: String
    private let temporaryGuard: TemporaryGuard
    var store: String { folder + "/traffic.db" }
    /// The entries that could not be read, and why the archive could not be read to its end.
    let problems: [HARProblem]
    let isWhole: Bool

    init(_ file: String) throws {
        let descriptor = try ImportCommand.opened(file)
        folder = try CommandFailure.of(advice: "Set TMPDIR to a folder that can be written to.") {
            try Files.makeTemporaryDirectory(named: "shunt-expect")
        }
        temporaryGuard = TemporaryGuard(folder)
        let archive: HARImport
        do throws(StoreFailure) { archive = try HARImport(store: folder + "/traffic.db") } catch {
            Files.remove(folder)
            throw CommandFailure("\(error)")
        }
        let end: (problem: HARProblem?, isWhole: Bool)
        do {
            end = try ImportCommand.feed(archive, try ImportSource(descriptor, file), file)
        } catch {
            Files.remove(folder)
            throw error
        }
        problems = archive.problems + (end.problem.map { [$0] } ?? [])
        isWhole = end.isWhole
    }

    /// What is skipped may be what an expectation is about.
    func requireAll(_ file: String) throws {
        guard let first = problems.first else {
            guard isWhole else { throw CommandFailure("\(file) could not be read to its end") }
            return
        }
        throw CommandFailure(
            ImportCommand.text(first, file),
            advice: "`shunt import` skips entries that cannot be read, and names them all.")
    }

    deinit { Files.remove(folder) }
}
