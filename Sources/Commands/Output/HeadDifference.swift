import Bytes

/// What was changed in a head, line by line.
struct HeadDifference {
    /// Lines with a `- ` or `+ ` in front, in their order.
    private(set) var changes: [String] = []
    private let count: Int

    /// Comparing takes time and memory in proportion to the square.
    private static let maxLines = 500

    init(from old: [String], to new: [String]) {
        count = max(old.count, new.count)
        guard count <= Self.maxLines else {
            if old != new { changes = old.map { "- " + $0 } + new.map { "+ " + $0 } }
            return
        }
        let lengths = Self.lengths(old, new)
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, old[i] == new[j] {
                (i, j) = (i + 1, j + 1)
            } else if i < old.count, j == new.count || lengths[i + 1][j] >= lengths[i][j + 1] {
                changes.append("- " + old[i])
                i += 1
            } else {
                changes.append("+ " + new[j])
                j += 1
            }
        }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// So little that the rest need not be shown.
    var isSmall: Bool { changes.count <= 4 || changes.count <= count }

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
    static func lines(_ head: [UInt8]) -> [String] {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            PlainText.line(line.last == 0x0D ? line.dropLast() : line)
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
