/// Decodes gzip: all members (RFC 1952 2.2), and garbage behind the last one is dropped.
final class GzipDecoder: BodyStage {
    private enum State {
        case nothing, member
        /// Behind a member: another may follow.
        case between
        /// Behind a member, and the first byte of what may be the next was seen.
        case betweenWithMark
        case garbage
    }

    private var state = State.nothing
    private var inflater: Inflater
    private static let marks: (UInt8, UInt8) = (0x1F, 0x8B)

    init?() {
        guard let inflater = Inflater(.gzip, windowBits: 31) else { return nil }
        self.inflater = inflater
    }

    func run(
        _ input: UnsafeRawBufferPointer, _ mode: StageMode, into room: UnsafeMutableRawBufferPointer
    ) throws(BodyRewriteFailure) -> StageProgress {
        var total = StageProgress()
        while true {
            switch state {
            case .nothing:
                guard !input.isEmpty else { return ended(total, mode) }
                state = .member
            case .member:
                let step = try inflater.run(input.after(total.taken), into: room.after(total.given))
                total.taken += step.taken
                total.given += step.given
                if inflater.isEnded {
                    state = .between
                } else if total.given == room.count || mode != .finish || total.taken < input.count {
                    return total
                } else {
                    throw BodyRewriteFailure(.truncated, .gzip)
                }
            case .between:
                guard total.taken < input.count else { return ended(total, mode) }
                state = input[total.taken] == Self.marks.0 ? .betweenWithMark : .garbage
                total.taken += 1
            case .betweenWithMark:
                guard total.taken < input.count else { return ended(total, mode) }
                if input[total.taken] == Self.marks.1 {
                    inflater.reset()
                    try inflater.begin(with: [Self.marks.0, Self.marks.1])
                    state = .member
                } else {
                    state = .garbage
                }
                total.taken += 1
            case .garbage:
                total.taken = input.count
                return ended(total, mode)
            }
        }
    }

    private func ended(_ total: StageProgress, _ mode: StageMode) -> StageProgress {
        StageProgress(taken: total.taken, given: total.given, isFinished: mode == .finish)
    }
}
