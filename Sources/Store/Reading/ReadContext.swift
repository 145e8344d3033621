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
        var column = ExchangeColumns.count
        var exchange = Exchange(
            startedAt: 0, client: Exchange.ClientFacts(address: row.text(column) ?? "", version: "", tls: nil),
            method: "", url: "")
        (requestType, responseType) = (row.text(column + 1), row.text(column + 2))
        column += ContextColumns.own.count
        for fact in ExchangeTable.texts {
            if let text = row.text(column) { fact.set(&exchange, text) }
            column += 1
        }
        (self.number, self.exchange) = (number, exchange)
    }
}
