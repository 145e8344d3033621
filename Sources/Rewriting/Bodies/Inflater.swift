import CZlib

/// One zlib, gzip or raw deflate stream; how it begins and what follows it is its owner's to know.
struct Inflater: ~Copyable {
    private let stream: ZlibStream
    private let coding: ContentCoding
    private(set) var isEnded = false

    init?(_ coding: ContentCoding, windowBits: Int32) {
        guard let stream = ZlibStream(.inflating, windowBits: windowBits) else { return nil }
        self.stream = stream
        self.coding = coding
    }

    /// Makes it ready for another stream.
    mutating func reset() {
        inflateReset(stream.pointer)
        isEnded = false
    }

    mutating func run(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while !isEnded, total.given < room.count {
            let (status, taken, given) = stream.call(
                Z_NO_FLUSH, input.after(total.taken), into: room.after(total.given))
            total.taken += taken
            total.given += given
            switch status {
            case Z_STREAM_END: isEnded = true
            case Z_OK: if taken == 0, given == 0 { return total }
            case Z_BUF_ERROR: return total
            case Z_MEM_ERROR: throw BodyRewriteFailure(.coder, coding, "out of memory")
            default: throw BodyRewriteFailure(.corrupt, coding, stream.message)
            }
        }
        return total
    }

    /// For the first one or two bytes of a stream, which were looked at before; they give nothing yet.
    mutating func begin(with first: [UInt8]) throws(BodyRewriteFailure) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: first.count + 1, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: first)
        let bytes = UnsafeRawBufferPointer(rebasing: memory[..<first.count])
        _ = try run(bytes, into: memory.after(first.count))
    }
}
