import Bytes

/// What was changed in a head or in a body, line by line.
public struct LineDifference: Sendable {
    public enum Sign: String, Sendable {
        case same = " "
        case removed = "-"
        case added = "+"
    }

    /// The lines of both, in their order.
    public private(set) var lines: [(sign: Sign, text: String)] = []

    /// Comparing takes time and memory in proportion to the square.
    private static let maxLines = 500

    public init(from old: [String], to new: [String]) {
        let front = zip(old, new).prefix { $0 == $1 }.count
        let back = zip(old.dropFirst(front).reversed(), new.dropFirst(front).reversed()).prefix { $0 == $1 }.count
        lines = old.prefix(front).map { (.same, $0) }
        addMiddle(Array(old[front..<old.count - back]), Array(new[front..<new.count - back]))
        lines += old.suffix(back).map { (.same, $0) }
    }

    private mutating func addMiddle(_ old: [String], _ new: [String]) {
        guard max(old.count, new.count) <= Self.maxLines else {
            guard old.count == new.count else {
                lines += old.map { (.removed, $0) } + new.map { (.added, $0) }
                return
            }
            // Mostly no line is put in, so that bodies of any length can be compared.
            for (old, new) in zip(old, new) {
                if old == new { lines.append((.same, old)) } else { lines += [(.removed, old), (.added, new)] }
            }
            return
        }
        let lengths = Self.lengths(old, new)
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, old[i] == new[j] {
                lines.append((.same, old[i]))
                (i, j) = (i + 1, j + 1)
            } else if i < old.count, j == new.count || lengths[i + 1][j] >= lengths[i][j + 1] {
                lines.append((.removed, old[i]))
                i += 1
            } else {
                lines.append((.added, new[j]))
                j += 1
            }
        }
    }

    /// Lines with a `- ` or `+ ` in front.
    public var changes: [String] { lines.filter { $0.sign != .same }.map { "\($0.sign.rawValue) \($0.text)" } }

    public var isEmpty: Bool { !lines.contains { $0.sign != .same } }

    /// So little that the rest need not be shown.
    public var isSmall: Bool {
        let changed = lines.count { $0.sign != .same }
        let removed = lines.count { $0.sign == .removed }
        return changed <= 4 || changed <= max(lines.count - removed, lines.count - changed + removed)
    }

    /// How many lines the ends of both have in common, from each place on.
    private static func lengths(_ old: [String], _ new: [String]) -> [[Int]] {
        var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
        for i in old.indices.reversed() {
            for j in new.indices.reversed() {
                lengths[i][j] =
                    old[i] == new[j] ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
            }
        }
        return lengths
    }

    /// The lines of a head, without the empty one at its end.
    public static func lines(_ head: [UInt8]) -> [String] {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            PlainText.line(line.last == 0x0D ? line.dropLast() : line)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
