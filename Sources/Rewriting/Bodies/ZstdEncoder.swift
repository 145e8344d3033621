import CZstd

/// Does zstd (RFC 8878), with a window far below the 8 MB of RFC 9659.
final class ZstdEncoder: BodyStage {
    private let context: OpaquePointer
    /// Something was taken since all came out.
    private var isDirty = false
    private var isFinished = false
    private static let level: Int32 = 1

    /// nil for lack of memory.
    init?() {
        guard let context = ZSTD_createCCtx() else { return nil }
        self.context = context
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
    }

    deinit { ZSTD_freeCCtx(context) }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        if !input.isEmpty { isDirty = true }
        let directive =
            switch mode {
            case .finish: ZSTD_e_end
            case .flush where isDirty: ZSTD_e_flush
            default: ZSTD_e_continue
            }
        var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        while to.pos < to.size, !isFinished {
            let before = (from.pos, to.pos)
            let left = ZSTD_compressStream2(context, &to, &from, directive)
            if ZSTD_isError(left) != 0 {
                throw BodyRewriteFailure(.coder, .zstd, ZSTD_getErrorName(left).map { String(cString: $0) })
            }
            if left == 0, from.pos == from.size {
                if directive == ZSTD_e_end { isFinished = true }
                if directive == ZSTD_e_flush { isDirty = false }
                if directive != ZSTD_e_continue { break }
            }
            if before == (from.pos, to.pos) { break }
        }
        return StageProgress(taken: from.pos, given: to.pos, isFinished: isFinished)
    }
}
