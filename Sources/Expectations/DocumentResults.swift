import Contracts
import Exchanges
import Inspection
import Store

extension ExpectationResult {
    /// That of a document, of which one part was compared with all exchanges.
    init(document: String, _ part: String, place: String, _ mismatches: [Mismatch]) {
        let expectation = Expectation(name: "\(document): \(part)", place: place, filter: .everything, checks: [])
        self.init(expectation: expectation, mismatches: mismatches)
    }
}

extension Observations {
    /// The client's request or its response, with the whole body.
    func message(_ record: TrafficRecord, _ side: BodySide) throws(CheckFailure) -> ContractExchange.Message {
        let head = side == .request ? record.clientRequest : record.response
        let kept = side == .request ? record.requestBody : record.responseBody
        return ContractExchange.Message(
            ContractHead(head ?? []), body: kept.kept == 0 ? [] : try body(record, side),
            isWhole: !kept.isCut && !kept.isDropped && !kept.isUndecodable)
    }
}
