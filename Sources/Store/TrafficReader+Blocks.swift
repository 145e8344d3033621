import Bytes
import Platform

/// One exchange's part of a block; it has neither trailers nor messages.
package struct BlockBody {
    let places: BodyPlaces
    let bytes: [UInt8]
    /// Of the block's bodies that stand elsewhere, one behind the other.
    let digests: [UInt8]

    /// Of one side, in the form of ``HeadsWriter``.
    func heads(_ side: BodySide) -> ArraySlice<UInt8> {
        bytes[side == .request ? places.requestHeads : places.responseHeads]
    }

    /// Where it stands elsewhere: the digest by which it is found.
    func digest(_ side: BodySide) -> [UInt8]? {
        guard let index = side == .request ? places.sharedRequest : places.sharedResponse else { return nil }
        let start = index * Self.digestSize
        return start >= 0 && start + Self.digestSize <= digests.count
            ? Array(digests[start..<start + Self.digestSize]) : []
    }

    static let digestSize = 16

    fileprivate func body(_ side: BodySide) -> ArraySlice<UInt8> {
        bytes[side == .request ? places.requestBody : places.responseBody]
    }

    /// Whether the heads are the same bytes of a block that was read once, without looking at them.
    func sharesHeads(with other: BlockBody) -> Bool {
        places.requestHeads == other.places.requestHeads && places.responseHeads == other.places.responseHeads
            && isOfBlock(of: other)
    }

    /// Whether heads, bodies and what is said about bodies are equal.
    package func isEqual(to other: BlockBody) -> Bool {
        guard places.requestFlags == other.places.requestFlags, places.responseFlags == other.places.responseFlags,
            digest(.request) == other.digest(.request), digest(.response) == other.digest(.response)
        else { return false }
        let (own, known) = (places, other.places)
        // Bodies with the same digest are the same, and their places lie in no block.
        let (requestIsShared, responseIsShared) = (own.sharedRequest != nil, own.sharedResponse != nil)
        let isOfOneBlock = isOfBlock(of: other)
        return bytes.withSpan { bytes in
            other.bytes.withUnsafeBytes { others in
                func isEqual(_ one: Range<Int>, _ two: Range<Int>) -> Bool {
                    isOfOneBlock && one == two || bytes.equals(one, UnsafeRawBufferPointer(rebasing: others[two]))
                }
                return (responseIsShared || isEqual(own.responseBody, known.responseBody))
                    && (requestIsShared || isEqual(own.requestBody, known.requestBody))
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
    let digests: [UInt8]
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
        return BlockBody(places: places, bytes: block.bytes, digests: block.digests)
    }

    private func block(of id: Int64) throws(StoreFailure) -> ReadBlock? {
        let statement = try ask(.block, id)
        defer { statement.reset() }
        guard try statement.step(), let first = statement.integer(0), let last = statement.integer(1) else {
            return nil
        }
        return ReadBlock(
            exchanges: first...last, places: statement.bytes(2) ?? [], bytes: statement.bytes(3) ?? [],
            digests: postgres == nil ? [] : statement.bytes(4) ?? [])
    }

    /// The body of one side of an exchange whose content is in a block; empty if it was removed meanwhile.
    package func body(of id: Int64, _ side: BodySide, in block: BlockBody) throws(StoreFailure) -> ArraySlice<UInt8> {
        guard let digest = block.digest(side) else { return block.body(side) }
        if let lastBody, lastBody.digest == digest { return lastBody.bytes[...] }
        let statement = try ask(.sharedBody, id / PostgresSchema.partSize)
        defer { statement.reset() }
        try statement.bind(1, .bytes(digest))
        guard try statement.step(), let bytes = statement.bytes(0) else { return [] }
        lastBody = (digest, bytes)
        return bytes[...]
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
