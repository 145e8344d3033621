/// Takes the bytes of a body as they come, and gives back those that may go on, changed or as they are.
///
/// Confined to the worker of its body.
public protocol BodyGate: AnyObject {
    /// It takes no more bytes until some of them have gone on.
    var isFull: Bool { get }
    /// Bytes wait for a decision, and not for more bytes.
    var isWaiting: Bool { get }
    /// Something else than what came has gone on.
    var hasChanged: Bool { get }
    /// Bytes that may go on.
    var ready: [UInt8] { get set }

    func take(_ bytes: UnsafeRawBufferPointer)
    /// No more bytes will come.
    func end()
}

/// The stage that sends a body through a gate.
final class GateStage: BodyStage {
    private let gate: any BodyGate
    private var given = 0
    private var isEnded = false

    init(_ gate: any BodyGate) { self.gate = gate }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        if !gate.isFull {
            gate.take(input)
            total.taken = input.count
        }
        if mode == .finish, total.taken == input.count, !isEnded {
            isEnded = true
            gate.end()
        }
        total.given = min(gate.ready.count - given, room.count)
        gate.ready.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<given + total.given]))
        }
        given += total.given
        if given == gate.ready.count { (gate.ready, given) = ([], 0) }
        total.isFinished = isEnded && gate.ready.isEmpty && !gate.isWaiting
        return total
    }
}
