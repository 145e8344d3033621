package import Contracts
import Exchanges
import Inspection
import Store

/// A contract that recorded traffic is compared with.
package struct ContractExpectation {
    private let contract: APIContract
    /// The document as messages name it.
    private let name: String

    package init(_ contract: APIContract, name: String) { (self.contract, self.name) = (contract, name) }

    /// Failures of one kind: of one rule, in one part of the exchange.
    private struct Kind: Hashable {
        let operation: Int?
        let rule: ContractPlace
        let part: String

        init(_ failure: ContractFailure) {
            (operation, rule, part) = (failure.operation, failure.rule, failure.part)
        }
    }

    /// A result for each operation that was used, and one for requests that no operation is for.
    package func check(_ traffic: Observations) throws(CheckFailure) -> [ExpectationResult] {
        var found = Findings<Kind>()
        var uncompared: [Kind: (text: String, count: Int)] = [:]
        var used: Set<Int> = []
        var total = 0
        try traffic.eachRecord { record throws(CheckFailure) in
            guard record.summary.exchange.method != "CONNECT" else { return }
            total += 1
            let verdict = try verdict(record, traffic)
            if let operation = verdict.operation { used.insert(operation) }
            for one in verdict.uncompared {
                let kind = Kind(one)
                guard uncompared[kind] != nil || uncompared.count < Findings<Kind>.maxKinds else { continue }
                uncompared[kind] = (one.text, (uncompared[kind]?.count ?? 0) + 1)
            }
            for failure in verdict.failures + verdict.partial {
                found.note(Kind(failure), record.summary.id, expected: "\(failure.rule)", seen: failure.text)
            }
        }
        var results: [ExpectationResult] = []
        for operation in used.sorted() {
            let one = contract.operations[operation]
            var result = result("\(one.method) \(one.path)", one.place, found.of { $0.operation == operation })
            result.notes = uncompared.filter { $0.key.operation == operation }.map { _, one in
                "not compared with its schema: \(one.text), in \(one.count) exchange\(one.count == 1 ? "" : "s")"
            }.sorted()
            results.append(result)
        }
        var others = found.of { $0.operation == nil }
        if total == 0 { others = [Mismatch(expected: "an exchange to compare with \(name)", seen: "none")] }
        results.append(result("only documented requests", contract.place, others))
        return results
    }

    private func result(_ part: String, _ place: ContractPlace, _ mismatches: [Mismatch]) -> ExpectationResult {
        ExpectationResult(document: name, part, place: "\(place.file):\(place.line)", mismatches)
    }

    private func verdict(_ record: TrafficRecord, _ traffic: Observations) throws(CheckFailure) -> ContractVerdict {
        let exchange = record.summary.exchange
        // What Shunt responds where an origin fails is not the API's, and a fault is none of it.
        let isOfAPI = exchange.failure == nil && !exchange.rewritten.contains("+fault")
        return contract.check(
            ContractExchange(
                method: exchange.method, target: ContractExchange.target(of: exchange.url),
                request: try traffic.message(record, .request), status: isOfAPI ? exchange.status : nil,
                response: try traffic.message(record, .response)),
            orAt: record.originRequest.flatMap { ContractHead($0).target }, mask: "<redacted:")
    }
}
