/// A regular expression as instructions that can be at several places at once.
///
/// Neither Swift's `Regex` nor `regcomp` would do. The former goes back and tries again, exponentially often at worst,
/// and brings a library of its own to the start; glibc's builds an automaton that grows without bound with the text
/// (`(a|b)*a(a|b){20}c` over 100 kB takes minutes) and has back-references. This one takes time in proportion to
/// text × instructions, and memory in proportion to instructions; and it is the same on every system.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        /// A byte in small letters.
        case byte(UInt8)
        case set(ByteSet)
        case split(Int, Int)
        case jump(Int)
        case assertion(PatternAssertion)
        case match
    }

    private(set) var instructions: ContiguousArray<Instruction> = []
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
            try append(.match)
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
        case .bytes(let bytes): for byte in bytes { try append(.byte(byte)) }
        case .set(let set): try append(.set(set))
        case .assertion(let assertion): try append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let alternatives): try emit(choice: alternatives)
        case .repetition(let node, let least, let most):
            for _ in 0..<least { try emit(node) }
            if let most { try emit(node, atMost: most - least) } else { try emit(loop: node) }
        }
    }

    private mutating func emit(choice alternatives: [PatternNode]) throws(TooLarge) {
        var ends: [Int] = []
        for alternative in alternatives.dropLast() {
            let split = instructions.count
            try append(.split(split + 1, split + 1))
            try emit(alternative)
            ends.append(instructions.count)
            try append(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = alternatives.last { try emit(last) }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func emit(loop node: PatternNode) throws(TooLarge) {
        let split = instructions.count
        try append(.split(split + 1, split + 1))
        try emit(node)
        try append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    private mutating func emit(_ node: PatternNode, atMost count: Int) throws(TooLarge) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(instructions.count)
            try append(.split(0, 0))
            try emit(node)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
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
        var seen = Set<Int>()
        var open = [0]
        while let index = open.popLast() {
            guard seen.insert(index).inserted else { continue }
            switch instructions[index] {
            case .byte(let byte): bytes = bytes.union(ByteSet([byte]).foldingCase)
            case .set(let set): bytes = bytes.union(set)
            case .split(let left, let right): open += [left, right]
            case .jump(let target): open.append(target)
            case .assertion, .match: return nil
            }
        }
        return bytes
    }
}
