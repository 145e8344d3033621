/// A regular expression as instructions that can be at several places at once.
///
/// Neither Swift's `Regex` nor `regcomp` would do. The former backtracks, exponentially at worst, and loads a library
/// of its own at the start. glibc's adds states as the text goes on (`(a|b)*a(a|b){20}c` over 10 kB took 10 s and 118
/// MB), and has back-references. This one takes time in proportion to text × instructions, and memory in proportion to
/// instructions; and it is the same on every system.
struct PatternProgram: Sendable {
    struct Instruction: Sendable {
        enum Kind: Sendable {
            /// A byte in small letters, which is `left`.
            case byte
            /// One of the set with the number `left`.
            case set
            /// A condition: the character that ends here is one of the set of characters with the number `left`.
            case scalar
            /// Both `left` and `right` come next.
            case split
            /// `left` comes next.
            case jump
            case assertion(PatternAssertion)
            case match
        }

        let kind: Kind
        var left: UInt16 = 0
        var right: UInt16 = 0
    }

    private(set) var instructions: ContiguousArray<Instruction> = []
    private(set) var sets: ContiguousArray<ByteSet> = []
    private(set) var scalars: ContiguousArray<ScalarSet> = []
    /// The bytes that a match can begin with; nil when it can be empty or hangs on what stands around it.
    private(set) var first: ByteSet?
    /// Only the start of a text can begin a match.
    private(set) var isAnchored = false
    private let limit: Int
    private var visits = 0

    /// Translates, with at most so many instructions.
    ///
    /// - Returns: nil when there would be more.
    init?(_ node: PatternNode, limit: Int) {
        self.limit = limit
        do {
            try emit(node)
            try append(Instruction(kind: .match))
        } catch {
            return nil
        }
        isAnchored = Self.startsText(node)
        first = firstBytes()
    }

    private struct TooLarge: Error {}

    private mutating func append(_ instruction: Instruction) throws(TooLarge) {
        guard instructions.count < limit else { throw TooLarge() }
        instructions.append(instruction)
    }

    private mutating func emit(_ node: PatternNode) throws(TooLarge) {
        // Repeating nothing a thousand times a thousand times adds no instruction, but takes as long.
        visits += 1
        guard visits <= 16 * limit else { throw TooLarge() }
        switch node {
        case .bytes(let bytes): for byte in bytes { try append(Instruction(kind: .byte, left: UInt16(byte))) }
        case .set(let set): try append(Instruction(kind: .set, left: number(of: set)))
        case .scalar(let set): try emit(scalar: set)
        case .assertion(let assertion): try append(Instruction(kind: .assertion(assertion)))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let alternatives): try emit(choice: alternatives)
        case .repetition(let node, let minimum, let limit):
            for _ in 0..<minimum { try emit(node) }
            if let limit { try emit(node, atMost: limit - minimum) } else { try emit(loop: node) }
        }
    }

    /// A byte for ASCII, or the bytes of any other character and the question whether it is in the set.
    private mutating func emit(scalar set: ScalarSet) throws(TooLarge) {
        let others = PatternNode.choice(ScalarSet.longer.map { .sequence($0.map { .set($0) }) })
        let ascii = PatternNode.set(set.ascii)
        guard set.hasOthers else { return try emit(ascii) }
        let split = instructions.count
        try append(Instruction(kind: .split))
        try emit(ascii)
        let end = instructions.count
        try append(Instruction(kind: .jump))
        branch(at: split)
        try emit(others)
        try append(Instruction(kind: .scalar, left: UInt16(truncatingIfNeeded: scalars.count)))
        scalars.append(set)
        instructions[end].left = next
    }

    private mutating func emit(choice alternatives: [PatternNode]) throws(TooLarge) {
        var ends: [Int] = []
        for alternative in alternatives.dropLast() {
            let split = instructions.count
            try append(Instruction(kind: .split))
            try emit(alternative)
            ends.append(instructions.count)
            try append(Instruction(kind: .jump))
            branch(at: split)
        }
        if let last = alternatives.last { try emit(last) }
        for end in ends { instructions[end].left = next }
    }

    private mutating func emit(loop node: PatternNode) throws(TooLarge) {
        let start = next
        let split = instructions.count
        try append(Instruction(kind: .split))
        try emit(node)
        try append(Instruction(kind: .jump, left: start))
        branch(at: split)
    }

    private mutating func emit(_ node: PatternNode, atMost count: Int) throws(TooLarge) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(instructions.count)
            try append(Instruction(kind: .split))
            try emit(node)
        }
        for split in splits { branch(at: split) }
    }

    /// The place behind all that is there; `limit` keeps it small.
    private var next: UInt16 { UInt16(truncatingIfNeeded: instructions.count) }

    /// Has a split go on behind itself, and here.
    private mutating func branch(at split: Int) {
        instructions[split].left = UInt16(truncatingIfNeeded: split + 1)
        instructions[split].right = next
    }

    private mutating func number(of set: ByteSet) -> UInt16 {
        if let known = sets.firstIndex(of: set) { return UInt16(truncatingIfNeeded: known) }
        sets.append(set)
        return UInt16(truncatingIfNeeded: sets.count - 1)
    }

    private static func startsText(_ node: PatternNode) -> Bool {
        switch node {
        case .assertion(.start): true
        case .sequence(let parts): parts.first.map(startsText) ?? false
        case .choice(let alternatives): alternatives.allSatisfy(startsText)
        default: false
        }
    }

    private func firstBytes() -> ByteSet? {
        var bytes = ByteSet()
        var seen = Set<UInt16>()
        var open: [UInt16] = [0]
        while let index = open.popLast() {
            guard seen.insert(index).inserted else { continue }
            let instruction = instructions[Int(index)]
            switch instruction.kind {
            case .byte: bytes = bytes.union(ByteSet([UInt8(truncatingIfNeeded: instruction.left)]).foldingCase)
            case .set: bytes = bytes.union(sets[Int(instruction.left)])
            case .split: open += [instruction.left, instruction.right]
            case .jump: open.append(instruction.left)
            case .assertion, .scalar, .match: return nil
            }
        }
        return bytes
    }
}
