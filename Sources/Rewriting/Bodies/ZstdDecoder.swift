import CZstd

/// Undoes zstd: all frames (RFC 8878 3), the skippable ones, too.
final class ZstdDecoder: BodyStage {
    private let context: OpaquePointer
    /// The last call left nothing open.
    private var isBetweenFrames = true
    /// The last call filled its room: there may be more where that came from.
    ///
    /// Only then it is called without input, as it takes some calls without progress for a mistake.
    private var mayHoldOutput = false
    /// RFC 9659 3: 8 MB are what senders may count on.
    private static let windowLogMax: Int32 = 23

    /// nil for lack of memory.
    init?() {
        guard let context = ZSTD_createDCtx() else { return nil }
        self.context = context
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogMax)
    }

    deinit { ZSTD_freeDCtx(context) }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        while to.pos < to.size, from.pos < from.size || mayHoldOutput {
            let hint = ZSTD_decompressStream(context, &to, &from)
            if ZSTD_isError(hint) != 0 { throw failure(hint) }
            isBetweenFrames = hint == 0
            mayHoldOutput = to.pos == to.size && !isBetweenFrames
        }
        var total = StageProgress(taken: from.pos, given: to.pos)
        guard mode == .finish, from.pos == from.size, to.pos < to.size else { return total }
        guard isBetweenFrames else { throw BodyRewriteFailure(.truncated, .zstd) }
        total.isFinished = true
        return total
    }

    private func failure(_ code: Int) -> BodyRewriteFailure {
        if ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge {
            return BodyRewriteFailure(.windowTooLarge, .zstd)
        }
        return BodyRewriteFailure(.corrupt, .zstd, ZSTD_getErrorName(code).map { String(cString: $0) })
    }
}
