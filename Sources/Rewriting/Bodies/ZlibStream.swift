import CZlib

/// A z_stream that stays where it is, as zlib wants it.
struct ZlibStream: ~Copyable {
    enum Direction { case inflating, deflating }

    let pointer: UnsafeMutablePointer<z_stream>
    private let direction: Direction

    /// nil for lack of memory.
    ///
    /// - Parameter windowBits: as in zlib: 15 with a zlib header, 31 with gzip's, -15 with none.
    init?(_ direction: Direction, windowBits: Int32, level: Int32 = 0) {
        let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        pointer.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        let status =
            switch direction {
            case .inflating: inflateInit2_(pointer, windowBits, ZLIB_VERSION, size)
            case .deflating:
                deflateInit2_(pointer, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            }
        guard status == Z_OK else {
            pointer.deallocate()
            return nil
        }
        self.pointer = pointer
        self.direction = direction
    }

    deinit {
        switch direction {
        case .inflating: inflateEnd(pointer)
        case .deflating: deflateEnd(pointer)
        }
        pointer.deallocate()
    }

    /// One call of inflate or deflate.
    func call(
        _ flush: Int32, _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> (status: Int32, taken: Int, given: Int) {
        // zlib counts in 32 bits; longer input takes several calls.
        let available = UInt32(clamping: input.count)
        let space = UInt32(clamping: room.count)
        let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
        pointer.pointee.avail_in = available
        pointer.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.avail_out = space
        let status = direction == .inflating ? inflate(pointer, flush) : deflate(pointer, flush)
        let taken = Int(available - pointer.pointee.avail_in)
        let given = Int(space - pointer.pointee.avail_out)
        return (status, taken, given)
    }

    /// zlib's own words for what went wrong.
    var message: String? { pointer.pointee.msg.map { String(cString: $0) } }
}
