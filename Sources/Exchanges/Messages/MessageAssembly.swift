/// A message on its way together: its first bytes, and how long it is.
struct MessageAssembly {
    /// Memory that is kept from one message to the next.
    private static let maxKept = 4 << 10

    let limit: Int
    private(set) var bytes: [UInt8] = []
    private(set) var length: Int64 = 0

    init(limit: Int) { self.limit = max(0, limit) }

    var isCut: Bool { length > bytes.count }

    mutating func add(_ body: UnsafeRawBufferPointer) {
        length = Self.sum(length, body.count)
        let kept = min(body.count, limit - bytes.count)
        if kept > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: body[..<kept])) }
    }

    mutating func add(_ byte: UInt8) {
        length = Self.sum(length, 1)
        if bytes.count < limit { bytes.append(byte) }
    }

    /// Counts bytes of which nothing can be kept.
    mutating func skip(_ count: Int) { length = Self.sum(length, count) }

    /// Adds what a masking key has to be taken off first.
    mutating func add(_ body: UnsafeRawBufferPointer, key: UInt32, at offset: UInt64) {
        let start = bytes.count
        add(body)
        let added = bytes.count - start
        bytes.withUnsafeMutableBytes { all in
            WebSocketMask.apply(
                key, at: offset, to: UnsafeMutableRawBufferPointer(rebasing: all[start..<start + added]))
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxKept)
        length = 0
    }

    /// Takes the last byte off.
    mutating func removeLast() {
        guard length > 0 else { return }
        if !isCut { bytes.removeLast() }
        length -= 1
    }

    private static func sum(_ length: Int64, _ count: Int) -> Int64 {
        let (sum, isTooMuch) = length.addingReportingOverflow(Int64(count))
        return isTooMuch ? .max : sum
    }
}
