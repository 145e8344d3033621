import Bytes
import Platform

/// One exchange's part of a block; it has neither trailers nor messages.
package struct BlockBody {
    let places: BodyPlaces
    let bytes: [UInt8]

    /// Of one side, in the form of ``HeadsWriter``.
    func heads(_ side: BodySide) -> ArraySlice<UInt8> {
        bytes[side == .request ? places.requestHeads : places.responseHeads]
    }

    package func body(_ side: BodySide) -> ArraySlice<UInt8> {
        bytes[side == .request ? places.requestBody : places.responseBody]
    }

    /// Whether the heads are the same bytes of a block that was read once, without looking at them.
    func sharesHeads(with other: BlockBody) -> Bool {
        places.requestHeads == other.places.requestHeads && places.responseHeads == other.places.responseHeads
            && isOfBlock(of: other)
    }

    /// Whether heads, bodies and what is said about bodies are equal.
    package func isEqual(to other: BlockBody) -> Bool {
        guard places.requestFlags == other.places.requestFlags, places.responseFlags == other.places.responseFlags
        else { return false }
        let (own, known) = (places, other.places)
        let isOfOneBlock = isOfBlock(of: other)
        return bytes.withSpan { bytes in
            other.bytes.withUnsafeBytes { others in
                func isEqual(_ one: Range<Int>, _ two: Range<Int>) -> Bool {
                    isOfOneBlock && one == two || bytes.equals(one, UnsafeRawBufferPointer(rebasing: others[two]))
                }
                return isEqual(own.responseBody, known.responseBody) && isEqual(own.requestBody, known.requestBody)
                    && isEqual(own.requestHeads, known.requestHeads)
                    && isEqual(own.responseHeads, known.responseHeads)
            }
        }
    }

    private func isOfBlock(of other: BlockBody) -> Bool {
        bytes.withUnsafeBytes { own in
            other.bytes.withUnsafeBytes { $0.baseAddress == own.baseAddress && $0.count == own.count }
        }
    }
}

/// A block that was read: the next exchange is likely to be in it, too.
struct ReadBlock {
    let exchanges: ClosedRange<Int64>
    let places: [UInt8]
    let bytes: [UInt8]
}

extension TrafficReader {
    /// An exchange's part of a block; nil if its content is elsewhere.
    ///
    /// Only within ``atOnce(_:)``. Each block is read once if exchanges are read in the order of their numbers, up or
    /// down.
    package func blockBody(of id: Int64) throws(StoreFailure) -> BlockBody? {
        if lastBlock?.exchanges.contains(id) != true { lastBlock = try block(of: id) }
        guard let block = lastBlock,
            let places = BodyPlaces(block.places, id - block.exchanges.lowerBound, in: block.bytes)
        else { return nil }
        return BlockBody(places: places, bytes: block.bytes)
    }

    private func block(of id: Int64) throws(StoreFailure) -> ReadBlock? {
        let statement = try ask(.block, id)
        defer { statement.reset() }
        guard try statement.step(), let first = statement.integer(0), let last = statement.integer(1) else {
            return nil
        }
        return ReadBlock(exchanges: first...last, places: statement.bytes(2) ?? [], bytes: statement.bytes(3) ?? [])
    }

    /// The heads of an exchange's sides; only within ``atOnce(_:)``.
    package func heads(of id: Int64, _ sides: BodySide...) throws(StoreFailure) -> RecordedHeads {
        var heads = RecordedHeads()
        if let block = try blockBody(of: id) {
            for side in sides { heads.read(block.heads(side)) }
        } else {
            let statement = try ask(.heads, id)
            defer { statement.reset() }
            if try statement.step(), let bytes = statement.bytes(0) { heads.read(bytes[...]) }
        }
        return heads
    }
}
