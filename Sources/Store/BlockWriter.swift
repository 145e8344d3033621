/// Puts heads and bodies of many exchanges into blocks of one row each, since a row for each exchange costs more.
struct BlockWriter {
    /// Limits of a block, since a reader of one exchange reads a whole block.
    private static let (maxBytes, maxExchanges) = (32 << 10, Int64(256))

    /// Of all blocks of the batch, one behind the other.
    private(set) var bytes: [UInt8] = []
    private(set) var places: [UInt8] = []
    /// The number of the present block, which is not used again.
    private(set) var number = 0
    private var start = 0
    private var placesStart = 0
    /// The first exchange's place among the batch's new ones; nil for an empty block.
    private var first: Int64?
    private var last: Int64 = 0

    /// A block that is complete.
    struct Finished {
        /// Places among the batch's new exchanges.
        var exchanges: ClosedRange<Int64>
        var places: Range<Int>
        var bytes: Range<Int>
    }

    init() {}

    /// Blocks that were read again.
    init(bytes: [UInt8], places: [UInt8]) { (self.bytes, self.places) = (bytes, places) }

    /// The end of the present block.
    var end: Int { bytes.count - start }

    func body(_ place: Range<Int>) -> ArraySlice<UInt8> {
        bytes[start + place.lowerBound..<start + place.upperBound]
    }

    mutating func append(_ body: [UInt8]) -> Range<Int> {
        let place = end..<end + body.count
        bytes.append(contentsOf: body)
        return place
    }

    /// Lets `write` append bytes, and returns their place in the present block.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
        let place = end
        write(&bytes)
        return place..<end
    }

    /// Removes the bytes behind `mark`.
    mutating func cut(to mark: Int) {
        bytes.removeLast(end - mark)
        // Places in this block are invalid now.
        number += 1
    }

    /// Ends the present block if an exchange has no place in it; to be called before its bytes are appended.
    mutating func makeRoom(for exchange: Int64) -> Finished? {
        guard let first, exchange - first >= Self.maxExchanges else { return nil }
        return finish()
    }

    /// Adds an exchange whose bytes were appended; returns the block if it is full.
    mutating func add(_ exchange: Int64, _ body: BodyPlaces) -> Finished? {
        let first = first ?? exchange
        self.first = first
        // The exchanges between have their content elsewhere.
        let missing = Int(exchange - first) * BodyPlaces.size - (places.count - placesStart)
        places.append(contentsOf: repeatElement(0, count: max(0, missing)))
        body.append(to: &places)
        last = exchange
        return end >= Self.maxBytes || exchange - first + 1 >= Self.maxExchanges ? finish() : nil
    }

    /// Ends the present block; nil if it is empty.
    mutating func finish() -> Finished? {
        guard let first else { return nil }
        defer {
            (start, placesStart) = (bytes.count, places.count)
            self.first = nil
            number += 1
        }
        return Finished(exchanges: first...last, places: placesStart..<places.count, bytes: start..<bytes.count)
    }

    /// Forgets all blocks.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 << 20)
        places.removeAll(keepingCapacity: places.capacity <= 1 << 20)
        (start, placesStart, first) = (0, 0, nil)
        number += 1
    }
}
