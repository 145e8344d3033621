import Bytes

/// Stages one behind the other, run as one.
final class BodyChain: BodyStage {
    private let stages: [any BodyStage]
    /// One fewer than stages.
    private let links: [StageLink]
    private var finished: [Bool]
    /// Bytes that one run moves from stage to stage: a few of a bomb decode to gigabytes, which encode to a few again.
    private static let share = 512 * 1024

    /// - Parameter stages: at least one.
    init(_ stages: [any BodyStage]) {
        self.stages = stages
        links = stages.dropFirst().map { _ in StageLink() }
        finished = stages.map { _ in false }
    }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        var hasMoved = true
        var moved = 0
        while hasMoved {
            if moved >= Self.share {
                total.isInterrupted = true
                return total
            }
            hasMoved = false
            var isDrained = true
            for index in stages.indices where !finished[index] {
                let isFirst = index == 0
                let isLast = index == links.count
                let isEnded = isFirst ? mode == .finish : finished[index - 1]
                let own: StageMode = isEnded ? .finish : isDrained && mode != .more ? .flush : .more
                let source = isFirst ? input.after(total.taken) : links[index - 1].buffer.unsafeBytes
                if !isLast { links[index].buffer.compact() }
                let target = isLast ? room.after(total.given) : links[index].buffer.unsafeRoom
                let step = try stages[index].run(source, own, into: target)
                if isFirst { total.taken += step.taken } else { links[index - 1].buffer.consume(step.taken) }
                if isLast { total.given += step.given } else { links[index].buffer.didFill(step.given) }
                finished[index] = step.isFinished
                isDrained = own != .more && step.given < target.count
                moved += step.given
                if step.taken > 0 || step.given > 0 || step.isFinished { hasMoved = true }
            }
        }
        total.isFinished = finished.last ?? true
        // Bytes behind the end of the last stage's stream are dropped.
        if total.isFinished { total.taken = input.count }
        return total
    }
}
