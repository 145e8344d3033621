import CZlib

/// Does gzip or deflate, the latter in zlib's format.
final class ZlibEncoder: BodyStage {
    private let stream: ZlibStream
    private let coding: ContentCoding
    /// Something was taken since all came out.
    private var isDirty = false
    private var isFinished = false
    /// The connection behind is mostly loopback: time counts more than bytes.
    private static let level: Int32 = 1

    /// nil for lack of memory.
    init?(_ coding: ContentCoding) {
        let windowBits: Int32 = coding == .gzip ? 31 : 15
        guard let stream = ZlibStream(.deflating, windowBits: windowBits, level: Self.level) else { return nil }
        self.stream = stream
        self.coding = coding
    }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while total.given < room.count, !isFinished {
            let rest = input.after(total.taken)
            if !rest.isEmpty { isDirty = true }
            let flush = mode == .finish ? Z_FINISH : mode == .flush && isDirty ? Z_SYNC_FLUSH : Z_NO_FLUSH
            let (status, taken, given) = stream.call(flush, rest, into: room.after(total.given))
            total.taken += taken
            total.given += given
            switch status {
            case Z_STREAM_END: isFinished = true
            case Z_OK, Z_BUF_ERROR:
                // Room left over: all is out (zlib.h, deflate).
                if flush == Z_SYNC_FLUSH, total.taken == input.count, total.given < room.count { isDirty = false }
                if taken == 0, given == 0 { return total }
            default: throw BodyRewriteFailure(.coder, coding, stream.message)
            }
        }
        total.isFinished = isFinished
        return total
    }
}
