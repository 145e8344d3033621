import Bytes

/// What follows the input of a stage.
enum StageMode {
    /// More will come.
    case more
    /// More may come, but not soon: all decided bytes are to be written.
    case flush
    /// These are the last.
    case finish
}

/// The result of a stage's step.
struct StageProgress {
    var taken = 0
    var given = 0
    /// All is out that will ever come.
    var isFinished = false
    /// It stopped to let others have their turn, and could go on at once.
    var isInterrupted = false
}

/// One link of the chain that a body goes through, in bounded memory.
protocol BodyStage: AnyObject {
    /// Reads a part of the input and writes a part of the output.
    ///
    /// Room that is left over says that all input was taken, and that nothing more comes out in this mode.
    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress
}

/// The buffer between two stages.
final class StageLink {
    /// So little that it stays in a core's cache.
    static let size = 32 * 1024

    var buffer = Buffer(capacity: StageLink.size)
}

extension UnsafeRawBufferPointer {
    /// What follows the first `count` bytes.
    @inline(__always)
    func after(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[count...]) }
}

extension UnsafeMutableRawBufferPointer {
    /// What follows the first `count` bytes.
    @inline(__always)
    func after(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[count...])
    }
}
