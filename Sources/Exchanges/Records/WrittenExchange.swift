/// An exchange as it was written into a store, without the secrets that the store leaves out.
///
/// Its facts are read out of few bytes when they are asked for, since most of who is told needs few of them or none.
public struct WrittenExchange: Sendable {
    package let record: ExchangeRecord
    /// Its number in the store; nil where the store does not know it yet.
    public let id: Int64?

    package init(_ record: ExchangeRecord, id: Int64?) { (self.record, self.id) = (record, id) }

    /// The same of all its facts.
    package init(_ exchange: Exchange) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        ExchangeRecord.write(exchange, to: &bytes)
        self.init(ExchangeRecord(bytes, 0..<bytes.count), id: exchange.id)
    }

    /// All of its facts.
    public var exchange: Exchange {
        var exchange = record.exchange
        exchange.id = id
        return exchange
    }
}
