import JSON

extension JSONTape {
    /// A hash of what a value says; equal values have the same.
    func hash(_ at: Int) -> Int {
        var hasher = Hasher()
        let entry = entries[at]
        switch entry.kind {
        case .null: hasher.combine(0)
        case .isFalse: hasher.combine(1)
        case .isTrue: hasher.combine(2)
        case .integer, .number: hasher.combine((Double(text(at)) ?? 0) + 0)
        case .string, .escapedString: hasher.combine(content(at))
        case .array:
            hasher.combine(3)
            for item in items(at) { hasher.combine(hash(item)) }
        case .object:
            // Members may come in any order.
            var sum = 0
            for (key, value) in members(at) { sum &+= hash(key) &* 31 &+ hash(value) }
            hasher.combine(sum)
        }
        return hasher.finalize()
    }

    func items(_ at: Int) -> [Int] {
        var items: [Int] = []
        items.reserveCapacity(Int(entries[at].count))
        var next = at + 1
        for _ in 0..<entries[at].count {
            items.append(next)
            next = Int(entries[next].next)
        }
        return items
    }

    func members(_ at: Int) -> [(key: Int, value: Int)] {
        var members: [(key: Int, value: Int)] = []
        var next = at + 1
        for _ in 0..<entries[at].count {
            members.append((next, next + 1))
            next = Int(entries[next + 1].next)
        }
        return members
    }

    /// Whether both mean the same: members may come in any order, and a number in any spelling.
    func isEqual(_ at: Int, to other: JSONTape, _ otherAt: Int) -> Bool {
        let (mine, theirs) = (entries[at], other.entries[otherAt])
        switch (mine.kind, theirs.kind) {
        case (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number):
            let (one, two) = (text(at), other.text(otherAt))
            if one == two { return true }
            if let one = Int64(one), let two = Int64(two) { return one == two }
            return Double(one) == Double(two)
        case (.string, .string):
            guard mine.count == theirs.count else { return false }
            let (one, two) = (Int(mine.start), Int(theirs.start))
            return bytes[one..<one + Int(mine.count)].elementsEqual(other.bytes[two..<two + Int(theirs.count)])
        case (.string, .escapedString), (.escapedString, .string), (.escapedString, .escapedString):
            return content(at) == other.content(otherAt)
        case (.array, .array):
            return mine.count == theirs.count
                && zip(items(at), other.items(otherAt)).allSatisfy { isEqual($0, to: other, $1) }
        case (.object, .object):
            guard mine.count == theirs.count else { return false }
            var values: [[UInt8]: Int] = [:]
            for (key, value) in other.members(otherAt) { values[other.content(key)] = value }
            return members(at).allSatisfy { key, value in
                values[content(key)].map { isEqual(value, to: other, $0) } ?? false
            }
        default: return mine.kind == theirs.kind
        }
    }
}
