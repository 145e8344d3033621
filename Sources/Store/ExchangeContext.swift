public import Exchanges

/// What is the same of many exchanges, all but numbers, client, URL and failure: made once, handed over with each.
public final class ExchangeContext: Sendable {
    /// In the form in which they stand in an ``ExchangeRecord``.
    let texts: [UInt8]
    /// Likewise names of rewritten fields, and attempts; empty where there are none.
    let lists: [UInt8]

    /// The texts of an exchange that many others have, too.
    public init(_ exchange: borrowing Exchange) { (texts, lists) = (Self.texts(exchange), Self.lists(exchange)) }
}
