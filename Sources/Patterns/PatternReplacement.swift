/// Finds the matches of a program in a text that comes in pieces: the leftmost one, and of those the longest.
///
/// All places that the bytes so far allow are followed at once, each with the offset at which its match began. To know
/// the longest match, bytes behind it may have to be looked at, and then again for the next one; that is bounded.
struct PatternReplacement {
    /// Longer matches are not found.
    static let longest = 16 << 10
    /// Bytes that may be looked at again: so many times those of the text, beside an allowance.
    ///
    /// Beyond that the first end of a match counts.
    private static let (repeats, allowance) = (8, 64 << 10)

    private struct Thread {
        let place: UInt16
        let start: Int
    }

    private let program: PatternProgram
    /// What is not decided, and the offset in the text at which it begins.
    private var held: [UInt8] = []
    private var base = 0
    /// The offset up to which the result was given.
    private var given = 0
    /// The offset of the byte that comes next, and the byte before it.
    private var at = 0
    private var previous: UInt8?
    /// By their starts.
    private var pending: [Thread] = []
    private var reached: [Thread] = []
    /// The index of an instruction in `reached`, if it is there (Briggs and Torczon's sparse set).
    private var positions: [UInt16]
    private var best: (start: Int, end: Int)?
    private var again = 0
    private var seen = 0

    init(_ program: PatternProgram) {
        self.program = program
        positions = [UInt16](repeating: 0, count: program.instructions.count)
    }

    /// Appends what is decided, with replacements; returns how many there were.
    mutating func feed(
        _ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool, _ replacement: [UInt8], _ out: inout [UInt8]
    ) -> Int {
        held.append(contentsOf: bytes)
        let end = base + held.count
        var count = 0
        while true {
            if pending.isEmpty, best == nil { skip(to: end) }
            guard at < end || isLast else { break }
            let next = at < end ? held[at - base] : nil
            close(before: next)
            if let found = best, next == nil || !isOpen(found) {
                give(to: found.start, &out)
                out.append(contentsOf: replacement)
                count += 1
                begin(again: found.end)
                continue
            }
            guard let next else { break }
            step(over: next)
        }
        give(to: isLast ? end : min(best?.start ?? at, pending.first?.start ?? at), &out)
        held.removeFirst(given - base)
        base = given
        return count
    }

    /// Passes bytes that no match begins with.
    private mutating func skip(to end: Int) {
        let start = at
        if program.isAnchored, at > 0 {
            at = end
        } else if let first = program.first {
            while at < end, !first.contains(held[at - base]) { at += 1 }
        }
        if at > start { previous = held[at - base - 1] }
    }

    private mutating func give(to offset: Int, _ out: inout [UInt8]) {
        guard offset > given else { return }
        out.append(contentsOf: held[(given - base)..<(offset - base)])
        given = offset
    }

    /// Goes on behind a match.
    private mutating func begin(again offset: Int) {
        seen = max(seen, at)
        again += at - offset
        previous = held[offset - base - 1]
        (given, at, best) = (offset, offset, nil)
        pending.removeAll(keepingCapacity: true)
    }

    /// A longer match, or one further to the left, may come.
    private func isOpen(_ found: (start: Int, end: Int)) -> Bool {
        if again > Self.repeats * max(seen, at) + Self.allowance { return false }
        return reached.contains { isAlive($0, found) && program.instructions[Int($0.place)].takesByte }
    }

    private func isAlive(_ thread: Thread, _ found: (start: Int, end: Int)?) -> Bool {
        at - thread.start < Self.longest && thread.start <= found?.start ?? .max
    }

    /// Follows all instructions that take no byte.
    private mutating func close(before next: UInt8?) {
        reached.removeAll(keepingCapacity: true)
        var index = 0
        // One after the other, so that the one that began first gets to each place first.
        for thread in pending {
            reach(thread.place, thread.start)
            follow(from: &index, before: next)
        }
        if best == nil, !program.isAnchored || at == 0 {
            reach(0, at)
            follow(from: &index, before: next)
        }
    }

    private mutating func follow(from index: inout Int, before next: UInt8?) {
        while index < reached.count {
            let thread = reached[index]
            let instruction = program.instructions[Int(thread.place)]
            switch instruction.kind {
            // None is written in ECMAScript's syntax, which alone has classes of characters.
            case .byte, .set, .scalar: break
            case .split:
                reach(instruction.left, thread.start)
                reach(instruction.right, thread.start)
            case .jump: reach(instruction.left, thread.start)
            case .assertion(let assertion):
                if assertion.holds(after: previous, before: next) { reach(thread.place + 1, thread.start) }
            case .match: note(thread.start)
            }
            index += 1
        }
    }

    private mutating func note(_ start: Int) {
        guard at > start else { return }
        if let best, best.start < start || best.start == start && best.end >= at { return }
        best = (start, at)
    }

    private mutating func reach(_ place: UInt16, _ start: Int) {
        let position = Int(positions[Int(place)])
        guard position >= reached.count || reached[position].place != place else { return }
        positions[Int(place)] = UInt16(truncatingIfNeeded: reached.count)
        reached.append(Thread(place: place, start: start))
    }

    private mutating func step(over byte: UInt8) {
        pending.removeAll(keepingCapacity: true)
        let folded = byte.folded
        for thread in reached where isAlive(thread, best) {
            let instruction = program.instructions[Int(thread.place)]
            let isTaken =
                switch instruction.kind {
                case .byte: instruction.left == UInt16(folded)
                case .set: program.sets[Int(instruction.left)].contains(byte)
                default: false
                }
            if isTaken { pending.append(Thread(place: thread.place + 1, start: thread.start)) }
        }
        previous = byte
        at += 1
    }
}

extension PatternProgram.Instruction {
    fileprivate var takesByte: Bool {
        switch kind {
        case .byte, .set: true
        default: false
        }
    }
}
