import Bytes

/// A free list of reusable objects, most recently used first, since that one's memory is still in the caches.
struct FreeList<Element: AnyObject>: ~Copyable {
    private let elements = Box<[Element]>([])
    private let limit: Int

    /// - Parameter limit: how many are kept; others are released.
    init(limit: Int) { self.limit = limit }

    /// False where there are enough.
    @discardableResult
    func keep(_ element: Element) -> Bool {
        guard elements.value.count < limit else { return false }
        elements.value.append(element)
        return true
    }

    /// The last one without other references; objects with other references are released.
    func take() -> Element? {
        while var element = elements.value.popLast() {
            if isKnownUniquelyReferenced(&element) { return element }
        }
        return nil
    }

    func removeAll() {
        // Taken out first, since their ends may lead here.
        var ended: [Element] = []
        swap(&ended, &elements.value)
    }
}
