/// Puts the body of many exchanges into blocks, each of which is a row: a row for each exchange costs more.
struct BlockWriter {
    /// With so many bytes, or exchanges, a block is full: whoever looks at one exchange reads a whole block.
    private static let (maxBytes, maxExchanges) = (32 << 10, 256)

    /// Of all blocks of the batch, one behind the other.
    private(set) var bytes: [UInt8] = []
    private(set) var places: [UInt8] = []
    /// Which block is being written; none has the same number later.
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

    /// Where the next bytes come to stand in the present block.
    var end: Int { bytes.count - start }

    func body(_ place: Range<Int>) -> ArraySlice<UInt8> {
        bytes[start + place.lowerBound..<start + place.upperBound]
    }

    mutating func append(_ body: [UInt8]) -> Range<Int> {
        let place = end..<end + body.count
        bytes.append(contentsOf: body)
        return place
    }

    /// Appends what `write` appends, and says where it stands in the present block.
    mutating func append(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
        let place = end
        write(&bytes)
        return place..<end
    }

    /// Takes back what was appended last.
    mutating func cut(to mark: Int) {
        bytes.removeLast(end - mark)
        // Nobody may refer to it any more.
        number += 1
    }

    /// Adds an exchange, whose body was appended; gives the block if it is full.
    mutating func add(_ exchange: Int64, _ body: BodyPlaces) -> Finished? {
        let first = first ?? exchange
        self.first = first
        // Those between have their content elsewhere.
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
