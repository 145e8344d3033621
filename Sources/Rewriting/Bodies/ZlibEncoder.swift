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
    /// Output for which there was no room yet.
    ///
    /// A flush that just fills its room is done once more with the next: in a few bytes of room it would never end
    /// (zlib.h, deflate).
    private let spill = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    private var spilled = 0..<0

    /// nil for lack of memory.
    init?(_ coding: ContentCoding) {
        let windowBits: Int32 = coding == .gzip ? 31 : 15
        guard let stream = ZlibStream(.deflating, windowBits: windowBits, level: Self.level) else { return nil }
        self.stream = stream
        self.coding = coding
    }

    deinit { spill.deallocate() }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while true {
            drain(into: room, &total.given)
            guard spilled.isEmpty, total.given < room.count, !isFinished else { break }
            let rest = input.after(total.taken)
            let space = room.after(total.given)
            let isSpilling = space.count < spill.count
            if !rest.isEmpty { isDirty = true }
            let flush = mode == .finish ? Z_FINISH : mode == .flush && isDirty ? Z_SYNC_FLUSH : Z_NO_FLUSH
            let (status, taken, given) = stream.call(flush, rest, into: isSpilling ? spill : space)
            total.taken += taken
            if isSpilling { spilled = 0..<given } else { total.given += given }
            switch status {
            case Z_STREAM_END: isFinished = true
            case Z_OK, Z_BUF_ERROR:
                let isAllOut = total.taken == input.count && given < (isSpilling ? spill.count : space.count)
                if flush == Z_SYNC_FLUSH, isAllOut { isDirty = false }
                if taken == 0, given == 0 { return total }
            default: throw BodyRewriteFailure(.coder, coding, stream.message)
            }
        }
        total.isFinished = isFinished && spilled.isEmpty
        return total
    }

    private func drain(into room: UnsafeMutableRawBufferPointer, _ given: inout Int) {
        let count = min(spilled.count, room.count - given)
        guard count > 0 else { return }
        let end = spilled.lowerBound + count
        room.after(given).copyMemory(from: UnsafeRawBufferPointer(rebasing: spill[spilled.lowerBound..<end]))
        spilled = end..<spilled.upperBound
        given += count
    }
}
