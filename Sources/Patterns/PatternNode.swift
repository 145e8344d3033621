/// A regular expression as it was read.
indirect enum PatternNode: Sendable {
    /// These bytes one after the other, ASCII letters in either case; kept in small letters.
    case bytes([UInt8])
    case set(ByteSet)
    /// One character of the set.
    case scalar(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// At least so often, and at most; nil is without end.
    case repetition(PatternNode, Int, Int?)

    /// The same, for texts that it covers from their start to their end.
    var whole: PatternNode {
        switch self {
        case .choice(let alternatives): .choice(alternatives.map(\.whole))
        case .sequence(let parts): .sequence([.assertion(.start)] + parts + [.assertion(.end)])
        default: .sequence([.assertion(.start), self, .assertion(.end)])
        }
    }
}

/// A condition between two bytes.
enum PatternAssertion: Sendable {
    case start, end, wordBoundary, noWordBoundary

    func holds(after previous: UInt8?, before next: UInt8?) -> Bool {
        switch self {
        case .start: previous == nil
        case .end: next == nil
        case .wordBoundary: Self.isBoundary(previous, next)
        case .noWordBoundary: !Self.isBoundary(previous, next)
        }
    }

    private static func isBoundary(_ previous: UInt8?, _ next: UInt8?) -> Bool {
        previous.map(ByteSet.word.contains) ?? false != next.map(ByteSet.word.contains) ?? false
    }
}
