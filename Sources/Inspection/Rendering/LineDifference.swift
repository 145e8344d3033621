import Bytes
public import JSON

/// What was changed in a head or in a body, line by line.
public struct LineDifference: Sendable {
    public enum Sign: String, Sendable {
        case same = " "
        case removed = "-"
        case added = "+"
    }

    /// The lines of both, in their order.
    public private(set) var lines: [(sign: Sign, text: String)] = []

    /// Changes that are looked for: time and memory are in proportion to its square.
    private static let maxChanges = 2000

    public init(from old: [String], to new: [String]) {
        let front = zip(old, new).prefix { $0 == $1 }.count
        let back = zip(old.dropFirst(front).reversed(), new.dropFirst(front).reversed()).prefix { $0 == $1 }.count
        lines = old.prefix(front).map { (.same, $0) }
        addMiddle(Array(old[front..<old.count - back]), Array(new[front..<new.count - back]))
        lines += old.suffix(back).map { (.same, $0) }
    }

    private mutating func addMiddle(_ old: [String], _ new: [String]) {
        guard let pairs = Self.pairs(old, new) else {
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
        var (i, j) = (0, 0)
        for (x, y) in pairs + [(old.count, new.count)] {
            lines += old[i..<x].map { (.removed, $0) } + new[j..<y].map { (.added, $0) }
            if x < old.count { lines.append((.same, old[x])) }
            (i, j) = (x + 1, y + 1)
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

    /// Which lines stay, as places in both, by the algorithm of Myers; nil where too many change.
    private static func pairs(_ old: [String], _ new: [String]) -> [(Int, Int)]? {
        if old.isEmpty || new.isEmpty { return [] }
        var numbers: [String: Int32] = [:]
        func numbered(_ lines: [String]) -> [Int32] {
            lines.map { line in
                let number = numbers[line] ?? Int32(numbers.count)
                numbers[line] = number
                return number
            }
        }
        let (left, right) = (numbered(old), numbered(new))
        let limit = min(left.count + right.count, maxChanges)
        // How far each diagonal leads, after each number of changes.
        var ends = [Int32](repeating: 0, count: 2 * limit + 3)
        var history: [ArraySlice<Int32>] = []
        for changes in 0...limit {
            for diagonal in stride(from: -changes, through: changes, by: 2) {
                let at = limit + 1 + diagonal
                let isDown = diagonal == -changes || diagonal != changes && ends[at - 1] < ends[at + 1]
                var x = Int(isDown ? ends[at + 1] : ends[at - 1] + 1)
                while x < left.count, x - diagonal < right.count, left[x] == right[x - diagonal] { x += 1 }
                ends[at] = Int32(x)
                if x >= left.count, x - diagonal >= right.count { return path(history, left.count, right.count) }
            }
            history.append(ArraySlice(ends[(limit + 1 - changes)...(limit + 1 + changes)]))
        }
        return nil
    }

    /// The way back from the end of both.
    private static func path(_ history: [ArraySlice<Int32>], _ left: Int, _ right: Int) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var (x, y) = (left, right)
        for (changes, ends) in history.enumerated().reversed() {
            func end(_ diagonal: Int) -> Int { Int(ends[ends.startIndex + diagonal + changes]) }
            // With one change more, from a diagonal beside this one.
            let diagonal = x - y
            let isDown = diagonal == -changes - 1 || diagonal != changes + 1 && end(diagonal - 1) < end(diagonal + 1)
            let before = isDown ? diagonal + 1 : diagonal - 1
            let (startX, startY) = (end(before), end(before) - before)
            while x > startX + (isDown ? 0 : 1), y > startY + (isDown ? 1 : 0) {
                (x, y) = (x - 1, y - 1)
                pairs.append((x, y))
            }
            (x, y) = (startX, startY)
        }
        while x > 0, y > 0 {
            (x, y) = (x - 1, y - 1)
            pairs.append((x, y))
        }
        return pairs.reversed()
    }

    /// Writes a member for each difference, null for those that are nil.
    public static func write(_ named: [(name: String, difference: LineDifference?)], to object: inout JSONWriter) {
        for (name, difference) in named {
            object.key(name)
            if let difference { object.array(difference.write) } else { object.null() }
        }
    }

    /// Writes each line as an array: its sign, its text, and null; no lines where nothing differs.
    private func write(to array: inout JSONWriter) {
        for (sign, text) in isEmpty ? [] : lines {
            array.array {
                $0.value(sign.rawValue)
                $0.value(text)
                $0.null()
            }
        }
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
