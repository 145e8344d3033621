import CBrotli

/// Encodes br (RFC 7932).
final class BrotliEncoder: BodyStage {
    private let state: OpaquePointer
    /// Something was taken since all came out.
    private var isDirty = false
    /// A flush has begun, and its output did not fit: until it does, the encoder takes no input.
    private var isFlushing = false
    /// The fastest that gathers input: below it each call makes a block of its own, however small.
    private static let quality: UInt32 = 2
    /// 256 KiB: what it keeps is a multiple of that.
    private static let windowBits: UInt32 = 18

    /// nil for lack of memory.
    init?() {
        guard let state = BrotliEncoderCreateInstance(nil, nil, nil) else { return nil }
        self.state = state
        BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, Self.quality)
        BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, Self.windowBits)
    }

    deinit { BrotliEncoderDestroyInstance(state) }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        if isFlushing {
            total = try call(BROTLI_OPERATION_FLUSH, UnsafeRawBufferPointer(start: nil, count: 0), into: room)
            if isFlushing { return total }
        }
        if !input.isEmpty { isDirty = true }
        let operation =
            switch mode {
            case .finish: BROTLI_OPERATION_FINISH
            case .flush where isDirty: BROTLI_OPERATION_FLUSH
            default: BROTLI_OPERATION_PROCESS
            }
        let step = try call(operation, input, into: room.after(total.given))
        return StageProgress(taken: step.taken, given: total.given + step.given, isFinished: step.isFinished)
    }

    private func call(
        _ operation: BrotliEncoderOperation, _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var available = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var space = room.count
        var out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard BrotliEncoderCompressStream(state, operation, &available, &next, &space, &out, nil) != 0 else {
            throw BodyRewriteFailure(.coder, .brotli)
        }
        if operation == BROTLI_OPERATION_FLUSH, available == 0 {
            isFlushing = BrotliEncoderHasMoreOutput(state) != 0
            if !isFlushing { isDirty = false }
        }
        return StageProgress(
            taken: input.count - available, given: room.count - space,
            isFinished: BrotliEncoderIsFinished(state) != 0)
    }
}
