import Exchanges

/// The context of a row, as it was read: the next row of a list is likely to have the same.
final class ReadContext {
    private let number: Int64?
    /// Without what the exchange has for itself.
    let exchange: Exchange
    let requestType: String?
    let responseType: String?

    /// That of the row before, where it is the same, or else one that is read.
    static func of(_ row: any StoreStatement, _ before: ReadContext?) -> ReadContext {
        let number = row.integer(1)
        if let before, let number, before.number == number { return before }
        return ReadContext(row, number)
    }

    /// Reads the context's columns of ``ExchangeColumns/all``.
    private init(_ row: any StoreStatement, _ number: Int64?) {
        let first = ExchangeColumns.count
        var exchange = Exchange(
            startedAt: 0,
            client: Exchange.ClientFacts(
                address: row.text(first) ?? "", version: row.text(first + 3) ?? "", tls: row.text(first + 4)),
            method: row.text(first + 5) ?? "", url: "", profile: row.text(first + 6), route: row.text(first + 8),
            responder: row.text(first + 9))
        exchange.client.app = row.text(first + 18)
        exchange.session = row.text(first + 19)
        exchange.operation = row.text(first + 20)
        exchange.reason = row.text(first + 7)
        exchange.origin = row.text(first + 10).map { url in
            var origin = Exchange.OriginFacts(
                url: url, address: row.text(first + 11), tls: row.text(first + 13), trust: row.text(first + 14),
                trustDecision: row.text(first + 15), version: row.text(first + 12))
            (origin.trustRule, origin.chain) = (row.text(first + 16), row.text(first + 17))
            return origin
        }
        self.number = number
        self.exchange = exchange
        (requestType, responseType) = (row.text(first + 1), row.text(first + 2))
    }
}
