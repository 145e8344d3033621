/// A search with a program, through text that comes in pieces.
///
/// It follows all places of the program that the bytes so far allow at once, and never goes back.
struct PatternMatcher {
    private let program: PatternProgram
    private var state = State()
    /// Three lists in one allocation, as long as the program each; see `Places`.
    private var memory: ContiguousArray<UInt16>

    /// The context between two bytes.
    fileprivate struct State {
        /// How many places are pending.
        var pending = 0
        var previous: UInt8?
        /// The last four bytes, the newest lowest; those that were skipped before a match are not among them.
        var recent: UInt32 = 0
        var isFound = false
    }

    init(_ program: PatternProgram) {
        self.program = program
        memory = ContiguousArray(repeating: 0, count: 3 * program.instructions.count)
    }

    /// Whether a match ends before the last of these bytes.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        run { places in
            var index = 0
            while index < bytes.count, !places.state.isFound {
                if places.state.pending == 0 {
                    if places.isAnchored, places.state.previous != nil { return }
                    if let first = places.first {
                        let start = index
                        while index < bytes.count, !first.contains(bytes[index]) { index += 1 }
                        if index > start { places.state.previous = bytes[index - 1] }
                        if index == bytes.count { return }
                    }
                }
                places.step(over: bytes[index])
                index += 1
            }
        }
    }

    /// Whether there is a match, now that the text is at its end.
    mutating func finish() -> Bool {
        run { places in
            if !places.state.isFound { places.follow(before: nil) }
        }
    }

    private mutating func run(_ body: (inout Places) -> Void) -> Bool {
        let program = program
        let state = state
        self.state = memory.withUnsafeMutableBufferPointer { memory in
            program.instructions.withUnsafeBufferPointer { instructions in
                program.sets.withUnsafeBufferPointer { sets in
                    var places = Places(program, instructions, sets, memory, state)
                    body(&places)
                    return places.state
                }
            }
        }
        return self.state.isFound
    }
}

/// The state of a search in its program.
///
/// This is the one loop whose every step counts, so it works on memory without further checks; all indexes come from
/// the program, and no list is longer than it because nothing is in it twice.
private struct Places {
    var state: PatternMatcher.State
    let isAnchored: Bool
    let first: ByteSet?
    private let instructions: UnsafeBufferPointer<PatternProgram.Instruction>
    private let sets: UnsafeBufferPointer<ByteSet>
    private let scalars: ContiguousArray<ScalarSet>
    /// The places that the bytes so far have reached, before instructions without a byte are followed.
    private let pending: UnsafeMutableBufferPointer<UInt16>
    /// All that was reached before the byte at hand, in the order in which it was.
    private let reached: UnsafeMutableBufferPointer<UInt16>
    /// The index of an instruction in `reached`, if it is there (Briggs and Torczon's sparse set).
    private let positions: UnsafeMutableBufferPointer<UInt16>
    private var count = 0

    init(
        _ program: PatternProgram, _ instructions: UnsafeBufferPointer<PatternProgram.Instruction>,
        _ sets: UnsafeBufferPointer<ByteSet>, _ memory: UnsafeMutableBufferPointer<UInt16>,
        _ state: PatternMatcher.State
    ) {
        self.state = state
        self.instructions = instructions
        self.sets = sets
        isAnchored = program.isAnchored
        first = program.first
        scalars = program.scalars
        let length = instructions.count
        pending = UnsafeMutableBufferPointer(rebasing: memory[..<length])
        reached = UnsafeMutableBufferPointer(rebasing: memory[length..<2 * length])
        positions = UnsafeMutableBufferPointer(rebasing: memory[(2 * length)...])
    }

    mutating func step(over byte: UInt8) {
        follow(before: byte)
        if state.isFound { return }
        let folded = byte.folded
        var pending = 0
        for index in 0..<count {
            let place = reached[index]
            let instruction = instructions[Int(place)]
            let isTaken =
                switch instruction.kind {
                case .byte: instruction.left == UInt16(folded)
                case .set: sets[Int(instruction.left)].contains(byte)
                default: false
                }
            if isTaken {
                self.pending[pending] = place + 1
                pending += 1
            }
        }
        state.pending = pending
        state.previous = byte
        state.recent = state.recent << 8 | UInt32(byte)
    }

    mutating func follow(before next: UInt8?) {
        count = 0
        for index in 0..<state.pending { reach(pending[index]) }
        if !isAnchored || state.previous == nil { reach(0) }
        var index = 0
        while index < count {
            let place = reached[index]
            let instruction = instructions[Int(place)]
            switch instruction.kind {
            case .byte, .set: break
            case .scalar: if scalars[Int(instruction.left)].contains(endOf: state.recent) { reach(place + 1) }
            case .split:
                reach(instruction.left)
                reach(instruction.right)
            case .jump: reach(instruction.left)
            case .assertion(let assertion):
                if assertion.holds(after: state.previous, before: next) { reach(place + 1) }
            case .match: state.isFound = true
            }
            index += 1
        }
    }

    private mutating func reach(_ place: UInt16) {
        let position = Int(positions[Int(place)])
        guard position >= count || reached[position] != place else { return }
        reached[count] = place
        positions[Int(place)] = UInt16(truncatingIfNeeded: count)
        count += 1
    }
}
