/// The places of an exchange's heads and bodies in a block.
///
/// Exchanges of a block have numbers that follow each other. Bytes that they share are stored once.
struct BodyPlaces {
    var requestHeads = 0..<0
    var responseHeads = 0..<0
    var requestBody = 0..<0
    var responseBody = 0..<0
    var requestFlags: BodyTrack.Flags = []
    var responseFlags: BodyTrack.Flags = []
    /// The index of a body among the block's shared ones, which stand elsewhere; its place then begins at 0.
    var sharedRequest: Int?
    var sharedResponse: Int?

    /// Bytes of an exchange's entry in a block's column of that name: eight numbers for the places, one for the flags.
    static let size = 36
    /// Beside the flags: without it this exchange has no content here.
    private static let isThere: UInt32 = 1 << 31
    private static let (requestIsShared, responseIsShared): (UInt32, UInt32) = (1 << 16, 1 << 17)

    init() {}

    /// Reads the entry of the exchange at an index behind the block's first; nil if there is none, or if it is broken.
    init?(_ places: [UInt8], _ index: Int64, in bytes: [UInt8]) {
        guard index >= 0, index < places.count / Self.size else { return nil }
        let start = Int(index) * Self.size
        func number(_ at: Int) -> UInt32 {
            places.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start + 4 * at, as: UInt32.self))
            }
        }
        func range(_ at: Int) -> Range<Int> {
            let (start, count) = (Int(number(at)), Int(number(at + 1)))
            return start <= bytes.count && count <= bytes.count - start ? start..<start + count : 0..<0
        }
        let flags = number(8)
        guard flags & Self.isThere != 0 else { return nil }
        (requestHeads, responseHeads) = (range(0), range(2))
        func body(_ at: Int, isShared: Bool) -> (place: Range<Int>, index: Int?) {
            isShared ? (0..<Int(number(at + 1)), Int(number(at))) : (range(at), nil)
        }
        (requestBody, sharedRequest) = body(4, isShared: flags & Self.requestIsShared != 0)
        (responseBody, sharedResponse) = body(6, isShared: flags & Self.responseIsShared != 0)
        requestFlags = BodyTrack.Flags(rawValue: Int64(flags & 0xFF))
        responseFlags = BodyTrack.Flags(rawValue: Int64(flags >> 8 & 0xFF))
    }

    func append(to places: inout [UInt8]) {
        func number(_ range: Range<Int>, _ shared: Int? = nil) -> (UInt32, UInt32) {
            (
                UInt32(truncatingIfNeeded: shared ?? range.lowerBound).littleEndian,
                UInt32(truncatingIfNeeded: range.count).littleEndian
            )
        }
        var flags = UInt32(truncatingIfNeeded: requestFlags.rawValue | responseFlags.rawValue << 8) | Self.isThere
        if sharedRequest != nil { flags |= Self.requestIsShared }
        if sharedResponse != nil { flags |= Self.responseIsShared }
        let numbers = (
            number(requestHeads), number(responseHeads), number(requestBody, sharedRequest),
            number(responseBody, sharedResponse), flags.littleEndian
        )
        withUnsafeBytes(of: numbers) { places.append(contentsOf: $0.prefix(Self.size)) }
    }

    /// A block without some exchanges, and without bytes that only they used.
    static func keep(
        _ isKept: (Int64) throws(StoreFailure) -> Bool, of places: [UInt8], _ bytes: [UInt8]
    ) throws(StoreFailure) -> (places: [UInt8], bytes: [UInt8])? {
        var kept: (places: [UInt8], bytes: [UInt8]) = ([], [])
        var moved: [Range<Int>: Range<Int>] = [:]
        func move(_ range: Range<Int>) -> Range<Int> {
            if let known = moved[range] { return known }
            let start = kept.bytes.count
            kept.bytes += bytes[range]
            moved[range] = start..<kept.bytes.count
            return start..<kept.bytes.count
        }
        for index in 0..<Int64(places.count / size) {
            guard var one = BodyPlaces(places, index, in: bytes), try isKept(index) else { continue }
            kept.places += [UInt8](repeating: 0, count: Int(index) * size - kept.places.count)
            (one.requestHeads, one.responseHeads) = (move(one.requestHeads), move(one.responseHeads))
            if one.sharedRequest == nil { one.requestBody = move(one.requestBody) }
            if one.sharedResponse == nil { one.responseBody = move(one.responseBody) }
            one.append(to: &kept.places)
        }
        return kept.places.isEmpty ? nil : kept
    }
}
