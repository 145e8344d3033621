package import Contracts
import Exchanges
import Inspection
import Store

/// A contract that recorded traffic is compared with.
package struct ContractExpectation {
    private let contract: APIContract
    /// The document as messages name it.
    private let name: String
    private let everything: FilterText

    package init(_ contract: APIContract, name: String) throws(CheckFailure) {
        (self.contract, self.name) = (contract, name)
        guard let everything = try? FilterText("") else { throw CheckFailure(description: "no filter can be read") }
        self.everything = everything
    }

    /// Failures of one kind: of one rule, in one part of the exchange.
    private struct Kind: Hashable {
        let operation: Int?
        let rule: ContractPlace
        let part: String
    }

    /// Exchanges whose heads and bodies are held at once.
    private static let pageSize = 64

    /// A result for each operation that was used, and one for requests that no operation is for.
    package func check(_ traffic: Observations) throws(CheckFailure) -> [ExpectationResult] {
        var found = Findings<Kind>()
        var uncompared: [Kind: (text: String, count: Int)] = [:]
        var used: Set<Int> = []
        var total = 0
        var last: Int64 = 0
        while true {
            let page = try traffic.page(after: last, limit: Self.pageSize)
            guard let end = page.last else { break }
            last = end.summary.id
            for record in page where record.summary.exchange.method != "CONNECT" {
                total += 1
                let verdict = try verdict(record, traffic)
                if let operation = verdict.operation { used.insert(operation) }
                for one in verdict.uncompared {
                    let kind = Kind(operation: one.operation, rule: one.rule, part: one.part)
                    guard uncompared[kind] != nil || uncompared.count < Findings<Kind>.maxKinds else { continue }
                    uncompared[kind] = (one.text, (uncompared[kind]?.count ?? 0) + 1)
                }
                for failure in verdict.failures + verdict.partial {
                    let kind = Kind(operation: failure.operation, rule: failure.rule, part: failure.part)
                    found.note(kind, record.summary.id, expected: "\(failure.rule)", seen: failure.text)
                }
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

    private func result(_ name: String, _ place: ContractPlace, _ mismatches: [Mismatch]) -> ExpectationResult {
        ExpectationResult(
            expectation: Expectation(
                name: "\(self.name): \(name)", place: "\(place.file):\(place.line)", filter: everything, checks: []),
            mismatches: mismatches)
    }

    private func verdict(_ record: TrafficRecord, _ traffic: Observations) throws(CheckFailure) -> ContractVerdict {
        let exchange = record.summary.exchange
        let request = try Self.message(record, .request, record.clientRequest, traffic)
        let response = try Self.message(record, .response, record.response, traffic)
        // What Shunt responds where an origin fails is not the API's, and a fault is none of it.
        let isOfAPI = exchange.failure == nil && !exchange.rewritten.contains("+fault")
        return contract.check(
            ContractExchange(
                method: exchange.method, target: ContractExchange.target(of: exchange.url), request: request,
                status: isOfAPI ? exchange.status : nil, response: response),
            orAt: record.originRequest.flatMap { ContractHead($0).target }, mask: "<redacted:")
    }

    static func message(
        _ record: TrafficRecord, _ side: BodySide, _ head: [UInt8]?, _ traffic: Observations
    ) throws(CheckFailure) -> ContractExchange.Message {
        let kept = side == .request ? record.requestBody : record.responseBody
        return ContractExchange.Message(
            ContractHead(head ?? []), body: kept.kept == 0 ? [] : try traffic.body(record, side),
            isWhole: !kept.isCut && !kept.isDropped && !kept.isUndecodable)
    }
}
