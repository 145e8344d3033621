import Contracts
import Exchanges
package import GraphQL
import Inspection
import JSON
import Store

/// Types of an API of GraphQL that recorded traffic is compared with.
package struct GraphQLExpectation {
    private let schema: GraphQLSchema
    private let everything: FilterText

    package init(_ schema: GraphQLSchema) throws(CheckFailure) {
        self.schema = schema
        guard let everything = try? FilterText("") else { throw CheckFailure(description: "no filter can be read") }
        self.everything = everything
    }

    /// Findings of one kind: of one rule, in one operation.
    private struct Kind: Hashable {
        let operation: String
        let isWarning: Bool
        let message: String
    }

    private static let pageSize = 64

    /// A result for each operation that was asked for.
    package func check(_ traffic: Observations) throws(CheckFailure) -> [ExpectationResult] {
        var found = Findings<Kind>()
        var operations: [String] = []
        var last: Int64 = 0
        while true {
            let page = try traffic.page(after: last, limit: Self.pageSize)
            guard let end = page.last else { break }
            last = end.summary.id
            for record in page {
                for (operation, findings) in try findings(record, traffic) {
                    if !operations.contains(operation) { operations.append(operation) }
                    for finding in findings {
                        found.note(
                            Kind(operation: operation, isWarning: finding.isWarning, message: finding.message),
                            record.summary.id, expected: rule(of: finding), seen: finding.text)
                    }
                }
            }
        }
        if operations.isEmpty {
            let nothing = Mismatch(expected: "a request of GraphQL to compare with \(schema.name)", seen: "none")
            return [result("any request", [nothing], [])]
        }
        return operations.map { operation in
            result(
                operation, found.of { $0.operation == operation && !$0.isWarning },
                found.of { $0.operation == operation && $0.isWarning })
        }
    }

    private func result(_ operation: String, _ mismatches: [Mismatch], _ warnings: [Mismatch]) -> ExpectationResult {
        var result = ExpectationResult(
            expectation: Expectation(
                name: "\(schema.name): \(operation)", place: schema.name, filter: everything, checks: []),
            mismatches: mismatches)
        result.notes = warnings.map { "warning: \($0.seen)" }
        return result
    }

    private func rule(of finding: GraphQLFinding) -> String {
        finding.rule.map { "\(schema.name):\($0)" } ?? "a call that fits \(schema.name), and no errors"
    }

    /// What is wrong with each call of an exchange; none for one that is not of GraphQL.
    private func findings(
        _ record: TrafficRecord, _ traffic: Observations
    ) throws(CheckFailure) -> [(operation: String, findings: [GraphQLFinding])] {
        let request = try ContractExpectation.message(record, .request, record.clientRequest, traffic)
        let url = Array(record.summary.exchange.url.utf8)
        let query = url.firstIndex(of: UInt8(ascii: "?")).map { Array(url[$0...].dropFirst()) } ?? []
        let calls = GraphQLCall.all(
            body: request.body[...], type: request.mediaType ?? "", query: query[...], isWhole: request.isWhole)
        guard !calls.isEmpty else { return [] }
        let response = try ContractExpectation.message(record, .response, record.response, traffic)
        let answer = response.isJSON && response.isWhole ? try? JSONReader.read(response.body, dialect: .strict) : nil
        return calls.enumerated().map { index, call in
            let own = answer?.array.map { index < $0.count ? $0[index] : nil } ?? answer
            let label = call.operation.label
            return (
                label.isEmpty ? record.summary.exchange.operation ?? "a stored query" : label,
                schema.findings(in: call) + (own.map { GraphQLSchema.findings(inResponse: $0) } ?? [])
            )
        }
    }
}
