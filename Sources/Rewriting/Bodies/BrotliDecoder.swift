import CBrotli

/// Decodes br (RFC 7932); what follows the stream is dropped.
final class BrotliDecoder: BodyStage {
    private let state: OpaquePointer
    private var isEmpty = true
    private var isEnded = false

    /// nil for lack of memory.
    init?() {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        if !input.isEmpty { isEmpty = false }
        if isEnded || isEmpty {
            return StageProgress(taken: input.count, given: 0, isFinished: mode == .finish)
        }
        var available = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var space = room.count
        var out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &available, &next, &space, &out, nil)
        var total = StageProgress(taken: input.count - available, given: room.count - space)
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS:
            isEnded = true
            total.taken = input.count
            total.isFinished = mode == .finish
        case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
            if mode == .finish { throw BodyRewriteFailure(.truncated, .brotli) }
        default:
            let code = BrotliDecoderGetErrorCode(state)
            let words = BrotliDecoderErrorString(code).map { String(cString: $0) }
            throw BodyRewriteFailure(.corrupt, .brotli, words)
        }
        return total
    }
}
