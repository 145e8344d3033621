/// A condition for a database that is equal to a pattern.
public enum PatternShape: Sendable {
    /// In small letters, all of them.
    case equals([UInt8]), prefix([UInt8]), suffix([UInt8]), contains([UInt8])
    /// Every text that matches has it, but not only those.
    case needs([UInt8])

    /// What every text that matches has.
    public var bytes: [UInt8] {
        switch self {
        case .equals(let bytes), .prefix(let bytes), .suffix(let bytes), .contains(let bytes), .needs(let bytes): bytes
        }
    }

    public var isExact: Bool {
        if case .needs = self { false } else { true }
    }

    /// More alternatives than these would make a condition longer than it is useful.
    private static let limit = 16

    /// One per alternative; nil when there is one that nothing can be said of.
    static func all(of node: PatternNode) -> [PatternShape]? {
        guard case .choice(let alternatives) = node else { return one(of: node).map { [$0] } }
        guard alternatives.count <= limit else { return nil }
        var shapes: [PatternShape] = []
        for alternative in alternatives {
            guard let nested = all(of: alternative), shapes.count + nested.count <= limit else { return nil }
            shapes += nested
        }
        return shapes
    }

    private static func one(of node: PatternNode) -> PatternShape? {
        var parts = flattened(node)
        var startsText = false
        var endsText = false
        while case .assertion(.start)? = parts.first {
            parts.removeFirst()
            startsText = true
        }
        while case .assertion(.end)? = parts.last {
            parts.removeLast()
            endsText = true
        }
        var literal: [UInt8] = []
        for part in parts {
            guard case .bytes(let bytes) = part else { return longest(of: parts).map(PatternShape.needs) }
            literal += bytes
        }
        return switch (startsText, endsText) {
        case (true, true): .equals(literal)
        case (true, false): .prefix(literal)
        case (false, true): .suffix(literal)
        case (false, false): .contains(literal)
        }
    }

    private static func flattened(_ node: PatternNode) -> [PatternNode] {
        guard case .sequence(let parts) = node else { return [node] }
        return parts.flatMap(flattened)
    }

    private static func longest(of parts: [PatternNode]) -> [UInt8]? {
        var longest: [UInt8] = []
        for case .bytes(let bytes) in parts where bytes.count > longest.count { longest = bytes }
        return longest.isEmpty ? nil : longest
    }
}
