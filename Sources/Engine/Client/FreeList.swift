/// A free list of reusable objects, most recently used first, since that one's memory is still in the caches.
struct FreeList<Element: AnyObject> {
    private var elements: [Element] = []
    private let limit: Int

    /// - Parameter limit: how many are kept; others are released.
    init(limit: Int) { self.limit = limit }

    mutating func keep(_ element: Element) { if elements.count < limit { elements.append(element) } }

    /// The last one without other references; objects with other references are released.
    mutating func take() -> Element? {
        while var element = elements.popLast() {
            if isKnownUniquelyReferenced(&element) { return element }
        }
        return nil
    }

    mutating func removeAll() { if !elements.isEmpty { elements.removeAll() } }
}
