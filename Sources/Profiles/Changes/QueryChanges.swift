import Bytes

/// Parameters of a query that are removed and set; all others stay byte for byte.
public struct QueryChanges: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public let name: String
        public let value: String
        /// `name=value`, escaped.
        fileprivate let text: [UInt8]

        init(name: String, value: String) {
            (self.name, self.value) = (name, value)
            text = Self.escaped(name) + [UInt8(ascii: "=")] + Self.escaped(value)
        }

        /// Spaces become `%20`, which servers read alike in paths, queries and forms.
        private static func escaped(_ text: String) -> [UInt8] {
            text.utf8.flatMap { PathBytes.isUnreserved($0) ? [$0] : PathBytes.escaped($0) }
        }
    }

    public let remove: [String]
    public let set: [Parameter]
    private let removed: Set<[UInt8]>
    private let places: [[UInt8]: Int]

    init(remove: [String] = [], set: [Parameter] = []) {
        (self.remove, self.set) = (remove, set)
        removed = Set(remove.map { Array($0.utf8) })
        places = Dictionary(
            set.enumerated().map { (Array($0.element.name.utf8), $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    public var isEmpty: Bool { remove.isEmpty && set.isEmpty }

    /// The query after the changes; nil where there is none, or nothing is left of it.
    ///
    /// A parameter that is set stands where the first of its name stood, or at the end.
    func applied(to query: [UInt8]?) -> [UInt8]? {
        guard !isEmpty else { return query }
        var parts: [[UInt8]] = []
        var isSet = set.map { _ in false }
        var hasRemoved = false
        for part in (query ?? []).split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let name = FormCoding.decoded(Array(part.prefix { $0 != UInt8(ascii: "=") }))
            if let place = places[name] {
                if !isSet[place] { parts.append(set[place].text) }
                isSet[place] = true
            } else if removed.contains(name) {
                hasRemoved = true
            } else {
                parts.append(Array(part))
            }
        }
        if parts == [[]] { parts = [] }
        for (place, parameter) in set.enumerated() where !isSet[place] { parts.append(parameter.text) }
        if parts.isEmpty { return hasRemoved ? nil : query }
        return Array(parts.joined(separator: [UInt8(ascii: "&")]))
    }
}
