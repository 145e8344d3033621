/// Templates of paths, found by the path of a request: literal text goes before names.
struct PathTree: Sendable {
    /// A part of a segment: text, or a name in braces.
    enum Part: Hashable, Sendable {
        case text(String)
        case name(String)
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        /// The one with the most text first.
        var templates: [(parts: [Part], node: Int)] = []
        var item: Int?
    }

    private var nodes = [Node()]

    /// The segments of a template; nil where its braces do not match.
    static func segments(_ template: String) -> [[Part]]? {
        guard template.hasPrefix("/") else { return nil }
        var segments: [[Part]] = []
        for segment in template.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var parts: [Part] = []
            var rest = segment
            while let open = rest.firstIndex(of: "{") {
                guard let close = rest[open...].firstIndex(of: "}"), !rest[..<open].contains("}") else { return nil }
                let name = rest[rest.index(after: open)..<close]
                guard !name.isEmpty, !name.contains("{") else { return nil }
                if open > rest.startIndex {
                    parts.append(.text(String(rest[..<open])))
                }
                // Two names without text between them cannot be told apart.
                else if case .name? = parts.last {
                    return nil
                }
                parts.append(.name(String(name)))
                rest = rest[rest.index(after: close)...]
            }
            guard !rest.contains("}") else { return nil }
            if !rest.isEmpty || parts.isEmpty { parts.append(.text(String(rest))) }
            segments.append(parts)
        }
        return segments
    }

    /// Adds a template; returns the item that is there already, which stays.
    mutating func add(_ segments: [[Part]], item: Int) -> Int? {
        var at = 0
        for parts in segments {
            let next: Int?
            if parts.count == 1, case .text(let text) = parts[0] {
                next = nodes[at].literals[text]
                if next == nil { nodes[at].literals[text] = nodes.count }
            } else {
                let shape = Self.shape(parts)
                next = nodes[at].templates.first { Self.shape($0.parts) == shape }?.node
                if next == nil {
                    nodes[at].templates.append((parts, nodes.count))
                    nodes[at].templates.sort { Self.textCount($0.parts) > Self.textCount($1.parts) }
                }
            }
            if let next {
                at = next
            } else {
                at = nodes.count
                nodes.append(Node())
            }
        }
        if let known = nodes[at].item { return known }
        nodes[at].item = item
        return nil
    }

    /// Names do not tell templates apart.
    private static func shape(_ parts: [Part]) -> [Part] {
        parts.map { if case .name = $0 { .name("") } else { $0 } }
    }

    private static func textCount(_ parts: [Part]) -> Int {
        parts.reduce(0) { if case .text(let text) = $1 { $0 + text.utf8.count } else { $0 } }
    }

    /// The item for a path, with what stands in the place of its names, in their order.
    func find(_ path: String) -> (item: Int, values: [String])? {
        guard path.hasPrefix("/") else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var values: [String] = []
        return find(segments[...], 0, &values).map { ($0, values) }
    }

    private func find(_ segments: ArraySlice<Substring>, _ at: Int, _ values: inout [String]) -> Int? {
        guard let segment = segments.first else { return nodes[at].item }
        if let next = nodes[at].literals[URIReference.decoded(String(segment))],
            let item = find(segments.dropFirst(), next, &values)
        {
            return item
        }
        for (parts, next) in nodes[at].templates {
            let count = values.count
            if Self.match(segment, parts, &values), let item = find(segments.dropFirst(), next, &values) { return item }
            values.removeSubrange(count...)
        }
        return nil
    }

    private static func match(_ segment: Substring, _ parts: [Part], _ values: inout [String]) -> Bool {
        var rest = segment
        for (index, part) in parts.enumerated() {
            switch part {
            case .text(let text):
                guard rest.hasPrefix(text) else { return false }
                rest = rest.dropFirst(text.count)
            case .name:
                var end = rest.endIndex
                if index + 1 < parts.count, case .text(let text) = parts[index + 1] {
                    let isLast = index + 2 == parts.count
                    guard rest.count > text.count else { return false }
                    if isLast {
                        guard rest.hasSuffix(text) else { return false }
                        end = rest.index(rest.endIndex, offsetBy: -text.count)
                    } else {
                        guard let found = rest.dropFirst().firstRange(of: text) else { return false }
                        end = found.lowerBound
                    }
                }
                guard end > rest.startIndex else { return false }
                values.append(URIReference.decoded(String(rest[..<end])))
                rest = rest[end...]
            }
        }
        return rest.isEmpty
    }
}
