/// Facts that many exchanges share (all but numbers, client, URL and failure), made once and handed over with each.
public final class ExchangeContext: Sendable {
    /// In the form of an ``ExchangeRecord``.
    package let texts: [UInt8]
    /// Likewise names of rewritten fields, and attempts; empty without any.
    package let lists: [UInt8]

    /// Takes the shared texts of an exchange.
    public init(_ exchange: borrowing Exchange) { (texts, lists) = (Self.texts(exchange), Self.lists(exchange)) }
}
