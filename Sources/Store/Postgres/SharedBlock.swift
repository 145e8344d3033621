/// A block whose long bodies were taken out, to be stored once.
struct SharedBlock {
    var places: [UInt8] = []
    var bytes: [UInt8] = []
    /// The digests of bodies, in the order of their indexes.
    var digests: [[UInt8]] = []

    /// nil if the block has no long body.
    init?(places: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer, _ shared: SharedBodies) {
        guard Self.hasLong(places) else { return nil }
        let (entries, whole) = (Array(places), Array(bytes))
        /// Where ranges lie now.
        var moved: [Range<Int>: Range<Int>] = [:]
        var indexes: [Range<Int>: Int] = [:]
        for index in 0..<Int64(entries.count / BodyPlaces.size) {
            guard var one = BodyPlaces(entries, index, in: whole) else {
                self.places += [UInt8](repeating: 0, count: BodyPlaces.size)
                continue
            }
            func keep(_ range: Range<Int>, _ out: inout SharedBlock) -> Range<Int> {
                if let known = moved[range] { return known }
                let start = out.bytes.count
                out.bytes += UnsafeRawBufferPointer(rebasing: bytes[range])
                moved[range] = start..<out.bytes.count
                return start..<out.bytes.count
            }
            func place(_ range: Range<Int>, _ out: inout SharedBlock) -> (Range<Int>, Int?) {
                if let known = indexes[range] { return (0..<range.count, known) }
                guard let digest = shared.share(UnsafeRawBufferPointer(rebasing: bytes[range])) else {
                    return (keep(range, &out), nil)
                }
                out.digests.append(digest)
                indexes[range] = out.digests.count - 1
                return (0..<range.count, out.digests.count - 1)
            }
            (one.requestHeads, one.responseHeads) = (keep(one.requestHeads, &self), keep(one.responseHeads, &self))
            (one.requestBody, one.sharedRequest) = place(one.requestBody, &self)
            (one.responseBody, one.sharedResponse) = place(one.responseBody, &self)
            one.append(to: &self.places)
        }
    }

    /// Whether one of the bodies is long, without reading all of an entry.
    private static func hasLong(_ places: UnsafeRawBufferPointer) -> Bool {
        stride(from: 0, to: places.count - BodyPlaces.size + 1, by: BodyPlaces.size).contains { start in
            [20, 28].contains { at in
                UInt32(littleEndian: places.loadUnaligned(fromByteOffset: start + at, as: UInt32.self))
                    >= SharedBodies.minimum
            }
        }
    }
}
