/// The facts of an exchange of which there may be several, in the order of ``ExchangeTable/lists``; most have none.
package struct ExchangeLists {
    package let texts: [[String]]

    /// - Parameter texts: lists that are missing are empty.
    package init(texts: [[String]]) { self.texts = texts }

    init(_ exchange: borrowing Exchange) {
        var texts: [[String]] = []
        texts.reserveCapacity(ExchangeTable.lists.count)
        for list in ExchangeTable.lists { texts.append(list.get(exchange)) }
        self.texts = texts
    }

    var isEmpty: Bool { texts.allSatisfy(\.isEmpty) }

    func store(in exchange: inout Exchange) {
        for (list, texts) in zip(ExchangeTable.lists, texts) where !texts.isEmpty { list.set(&exchange, texts) }
    }
}
