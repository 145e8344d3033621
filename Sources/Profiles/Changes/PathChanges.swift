/// Paths that origins know by other names than clients do.
public struct PathChanges: Hashable, Sendable {
    /// What one pattern's paths are called at the origin.
    public struct Mapping: Hashable, Sendable {
        package let client: PathPattern
        package let origin: PathPattern

        public var text: String { "\(client) to \(origin)" }
    }

    /// The most specific pattern first.
    public let mappings: [Mapping]
    /// Those that can be undone: both sides have the same stars; what is most specific at the origin comes first.
    private let reverse: [Mapping]

    init(_ mappings: [Mapping] = []) {
        self.mappings = mappings.sorted { Self.comesFirst($0.client, $1.client) }
        reverse = mappings.filter { $0.client.stars == $0.origin.stars }
            .sorted { Self.comesFirst($0.origin, $1.origin) }
    }

    public var isEmpty: Bool { mappings.isEmpty }

    /// The path that an origin gets for a client's; nil where no pattern matches.
    func forOrigin(_ path: [UInt8]) -> [UInt8]? {
        for mapping in mappings {
            if let found = Self.map(path, from: mapping.client, to: mapping.origin) { return found }
        }
        return nil
    }

    /// The path by which clients know a path of the origin; nil where it is none of the mapped ones.
    public func forClient(_ path: [UInt8]) -> [UInt8]? {
        for mapping in reverse {
            if let found = Self.map(path, from: mapping.origin, to: mapping.client) { return found }
        }
        return nil
    }

    private static func comesFirst(_ one: PathPattern, _ other: PathPattern) -> Bool {
        other.rank.lexicographicallyPrecedes(one.rank)
    }

    /// What stood for a star goes on as it was sent, unless the path has dot segments, which are resolved.
    private static func map(_ path: [UInt8], from pattern: PathPattern, to other: PathPattern) -> [UInt8]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var segments = split(path)
        var normal = segments.map { PathBytes.normalized($0) }
        if normal.contains(Array(".".utf8)) || normal.contains(Array("..".utf8)) {
            segments = split(PathBytes.normalized(path))
            normal = segments
        }
        let wanted = pattern.literalSegments
        guard normal.count >= wanted.count, pattern.isPrefix || normal.count == wanted.count else { return nil }
        var captures: [[UInt8]] = []
        for (at, segment) in wanted.enumerated() {
            if segment == [PathPattern.star] {
                guard !normal[at].isEmpty else { return nil }
                captures.append(segments[at])
            } else if normal[at] != segment {
                return nil
            }
        }
        var result: [[UInt8]] = []
        var next = captures.makeIterator()
        for segment in other.literalSegments {
            result.append(segment == [PathPattern.star] ? next.next() ?? [] : segment)
        }
        if other.isPrefix { result += segments[wanted.count...] }
        let text = result.flatMap { [UInt8(ascii: "/")] + $0 }
        return text.isEmpty ? [UInt8(ascii: "/")] : text
    }

    private static func split(_ path: [UInt8]) -> [[UInt8]] {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
    }
}

extension PathPattern {
    /// The segments in front of a trailing `*`.
    fileprivate var literalSegments: [[UInt8]] { bytes.isEmpty ? [] : segments.map { Array($0) } }

    /// How many inner stars it has, and whether it ends in one.
    package var stars: Stars { Stars(inner: bytes.count { $0 == Self.star }, isPrefix: isPrefix) }

    package struct Stars: Hashable {
        let inner: Int
        let isPrefix: Bool

        var isNone: Bool { inner == 0 && !isPrefix }
    }
}
