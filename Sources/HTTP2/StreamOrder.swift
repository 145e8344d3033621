/// Which streams a client has passed over: it may not open them any more (RFC 9113 5.1.1).
struct StreamOrder {
    /// If a client passes over more, the oldest gap is forgotten.
    private static let maxGaps = 64
    /// The highest that was opened.
    private var last: Int32 = -1
    private var gaps: [ClosedRange<Int32>] = []

    /// Notes HEADERS on a stream; false if they would open one below another.
    ///
    /// HEADERS on a stream that was open are trailers, perhaps late ones.
    mutating func take(_ id: Int32) -> Bool {
        guard id > last else { return !gaps.contains { $0.contains(id) } }
        if id > last + 2 {
            if gaps.count == Self.maxGaps { gaps.removeFirst() }
            gaps.append(last + 2...id - 2)
        }
        last = id
        return true
    }
}
