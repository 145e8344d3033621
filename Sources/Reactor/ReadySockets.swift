/// Sockets with readiness changes, by their tokens, first in first out.
struct ReadySockets {
    private var tokens: [UInt64] = []
    private var head = 0

    var isEmpty: Bool { head == tokens.count }

    mutating func append(_ token: UInt64) { tokens.append(token) }

    mutating func popFirst() -> UInt64? {
        guard head < tokens.count else { return nil }
        let token = tokens[head]
        head += 1
        if head == tokens.count {
            tokens.removeAll(keepingCapacity: true)
            head = 0
        }
        return token
    }
}
