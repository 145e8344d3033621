import Contracts
import Exchanges
package import GraphQL
import Inspection
import JSON
import Store

/// Types of an API of GraphQL that recorded traffic is compared with.
package struct GraphQLExpectation {
    private let schema: GraphQLSchema

    package init(_ schema: GraphQLSchema) { self.schema = schema }

    /// Findings of one kind: of one rule, in one operation.
    private struct Kind: Hashable {
        let operation: String
        let isWarning: Bool
        let message: String
    }

    /// A result for each operation that was asked for.
    package func check(_ traffic: Observations) throws(CheckFailure) -> [ExpectationResult] {
        var found = Findings<Kind>()
        var operations: [String] = []
        try traffic.eachRecord { record throws(CheckFailure) in
            for (operation, findings) in try findings(record, traffic) {
                if !operations.contains(operation) { operations.append(operation) }
                for finding in findings {
                    let rule = finding.rule.map { "\(schema.name):\($0)" }
                    found.note(
                        Kind(operation: operation, isWarning: finding.isWarning, message: finding.message),
                        record.summary.id, expected: rule ?? "a call that fits \(schema.name), and no errors",
                        seen: finding.text)
                }
            }
        }
        if operations.isEmpty {
            let nothing = Mismatch(expected: "a request of GraphQL to compare with \(schema.name)", seen: "none")
            return [ExpectationResult(document: schema.name, "any request", place: schema.name, [nothing])]
        }
        return operations.map { operation in
            let wrong = found.of { $0.operation == operation && !$0.isWarning }
            var result = ExpectationResult(document: schema.name, operation, place: schema.name, wrong)
            result.notes = found.of { $0.operation == operation && $0.isWarning }.map { "warning: \($0.seen)" }
            return result
        }
    }

    /// What is wrong with each call of an exchange; none for one that is not of GraphQL.
    private func findings(
        _ record: TrafficRecord, _ traffic: Observations
    ) throws(CheckFailure) -> [(operation: String, findings: [GraphQLFinding])] {
        let request = try traffic.message(record, .request)
        let url = Array(record.summary.exchange.url.utf8)
        let query = url.firstIndex(of: UInt8(ascii: "?")).map { Array(url[$0...].dropFirst()) } ?? []
        let calls = GraphQLCall.all(
            body: request.body[...], type: request.mediaType ?? "", query: query[...], isWhole: request.isWhole)
        guard !calls.isEmpty else { return [] }
        let response = try traffic.message(record, .response)
        var answer = response.isJSON && response.isWhole ? try? JSONReader.read(response.body, dialect: .strict) : nil
        // What something else than the API responded.
        let isSuccess = record.summary.exchange.status.map { 200..<300 ~= $0 } ?? false
        if !isSuccess, let object = answer, object["data"] == nil, object["errors"] == nil, object.array == nil {
            answer = nil
        }
        return calls.enumerated().map { index, call in
            let own = answer?.array.map { index < $0.count ? $0[index] : nil } ?? answer
            let label = call.operation.label
            return (
                label.isEmpty ? record.summary.exchange.operation ?? "a stored query" : label,
                schema.findings(in: call, response: own)
            )
        }
    }
}
