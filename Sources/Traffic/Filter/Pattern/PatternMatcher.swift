/// A search with a program, through text that comes in pieces.
///
/// It is at all places of the program at once that the bytes so far allow, and never goes back.
struct PatternMatcher {
    private let program: PatternProgram
    /// Where the bytes so far have led, before what needs no byte was followed.
    private var pending: ContiguousArray<Int> = []
    /// The instructions that wait for the byte at hand.
    private var ready: ContiguousArray<Int> = []
    private var open: ContiguousArray<Int> = []
    /// The round in which an instruction was reached last.
    private var reached: ContiguousArray<Int>
    private var round = 0
    private var previous: UInt8?
    private var isFound = false

    init(_ program: PatternProgram) {
        self.program = program
        reached = ContiguousArray(repeating: 0, count: program.instructions.count)
    }

    /// Whether a match ends before the last of these bytes.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count, !isFound {
            if pending.isEmpty {
                if program.isAnchored, previous != nil { return false }
                if let first = program.first {
                    while index < bytes.count, !first.contains(bytes[index]) { index += 1 }
                    if index > 0 { previous = bytes[index - 1] }
                    if index == bytes.count { break }
                }
            }
            step(over: bytes[index])
            index += 1
        }
        return isFound
    }

    /// Whether there is a match, now that the text is at its end.
    mutating func finish() -> Bool {
        if !isFound { follow(before: nil) }
        return isFound
    }

    private mutating func step(over byte: UInt8) {
        follow(before: byte)
        if isFound { return }
        pending.removeAll(keepingCapacity: true)
        let folded = byte.folded
        for index in ready {
            switch program.instructions[index] {
            case .byte(let wanted): if wanted == folded { pending.append(index + 1) }
            case .set(let set): if set.contains(byte) { pending.append(index + 1) }
            case .split, .jump, .assertion, .match: break
            }
        }
        previous = byte
    }

    private mutating func follow(before next: UInt8?) {
        round += 1
        ready.removeAll(keepingCapacity: true)
        for index in pending { follow(from: index, before: next) }
        if !program.isAnchored || previous == nil { follow(from: 0, before: next) }
    }

    private mutating func follow(from start: Int, before next: UInt8?) {
        open.append(start)
        while let index = open.popLast() {
            guard reached[index] != round else { continue }
            reached[index] = round
            switch program.instructions[index] {
            case .byte, .set: ready.append(index)
            case .split(let left, let right):
                open.append(right)
                open.append(left)
            case .jump(let target): open.append(target)
            case .assertion(let assertion):
                if assertion.holds(after: previous, before: next) { open.append(index + 1) }
            case .match: isFound = true
            }
        }
    }
}
