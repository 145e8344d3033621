/// Sockets with readiness changes, by their tokens, first in first out.
package struct ReadySockets {
    private var tokens: [UInt64] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == tokens.count }

    /// How many tokens its memory holds, those that were taken included.
    package var held: Int { tokens.count }

    package mutating func append(_ token: UInt64) { tokens.append(token) }

    package mutating func popFirst() -> UInt64? {
        guard head < tokens.count else { return nil }
        let token = tokens[head]
        head += 1
        // Under load the queue never runs empty: what was taken goes once it is half of it.
        if head == tokens.count || head >= 64 && head * 2 >= tokens.count {
            tokens.removeFirst(head)
            head = 0
        }
        return token
    }
}
