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

/// A stage that decides what becomes of its input, and keeps what does not fit yet.
protocol QueueingStage: BodyStage {
    var queue: StageQueue { get set }
    var isAtEnd: Bool { get set }
    /// Decides on a part of the input, and puts the result into the queue; the last part may be empty.
    func look(_ bytes: Span<UInt8>, isLast: Bool)
}

extension QueueingStage {
    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while queue.give(into: room, &total) {
            let share = UnsafeRawBufferPointer(rebasing: input.after(total.taken).prefix(StageLink.size))
            let isLast = mode == .finish && total.taken + share.count == input.count
            guard !share.isEmpty || isLast && !isAtEnd else {
                total.isFinished = isAtEnd
                return total
            }
            look(Span(_unsafeElements: share.bindMemory(to: UInt8.self)), isLast: isLast)
            total.taken += share.count
            if isLast { isAtEnd = true }
        }
        return total
    }
}

/// What is decided and did not fit yet.
struct StageQueue {
    var bytes: [UInt8] = []
    private var start = 0

    static func += (queue: inout StageQueue, bytes: some Collection<UInt8>) { queue.bytes += bytes }

    /// Writes what fits; returns whether that was all.
    mutating func give(into room: UnsafeMutableRawBufferPointer, _ total: inout StageProgress) -> Bool {
        let count = min(bytes.count - start, room.count - total.given)
        if count > 0 {
            bytes.withUnsafeBytes {
                room.after(total.given).copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            start += count
            total.given += count
        }
        guard start == bytes.count else { return false }
        bytes.removeAll(keepingCapacity: true)
        start = 0
        return true
    }
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
