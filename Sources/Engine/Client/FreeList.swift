/// Objects that are done with and serve once more: last in first out, for then they are warm.
struct FreeList<Element: AnyObject> {
    private var elements: [Element] = []
    private let limit: Int

    /// - Parameter limit: how many are kept; others are let go.
    init(limit: Int) { self.limit = limit }

    mutating func keep(_ element: Element) { if elements.count < limit { elements.append(element) } }

    /// The last one that nobody else holds on to; others are let go.
    mutating func take() -> Element? {
        while var element = elements.popLast() {
            if isKnownUniquelyReferenced(&element) { return element }
        }
        return nil
    }

    mutating func removeAll() { if !elements.isEmpty { elements.removeAll() } }
}
