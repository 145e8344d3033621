/// A field a request must have, with one value or with any.
package struct FieldCondition: Hashable, Sendable {
    /// In lower case.
    package let name: [UInt8]
    package let value: [UInt8]?

    package var description: String {
        let name = String(decoding: name, as: UTF8.self)
        return value.map { "\(name): \(String(decoding: $0, as: UTF8.self))" } ?? name
    }
}

/// Everything a route asks of a request.
package struct RoutePattern: Hashable, Sendable {
    package let host: HostPattern
    package let path: PathPattern
    /// Empty for any.
    package let methods: [String]
    package let fields: [FieldCondition]
    /// What else is asked for; what needs the body comes last.
    package var conditions: [RequestCondition] = []

    package var label: String {
        let place = "\(host)\(path)"
        return (methods.isEmpty ? "" : methods.joined(separator: ",") + " ") + (place == "*/*" ? "*" : place)
    }

    /// Host and path, without which two patterns do not tie.
    struct Place: Hashable {
        let host: HostPattern
        let path: PathPattern
    }

    var placed: Place { Place(host: host, path: path) }

    /// How much is asked for by ``conditions``.
    var weight: Int { conditions.reduce(0) { $0 + $1.weight } }

    /// Whether some request fits both, where host and path are the same.
    func overlaps(_ other: RoutePattern) -> Bool {
        guard host == other.host, path == other.path, methods.isEmpty == other.methods.isEmpty,
            fields.count == other.fields.count, conditions.count == other.conditions.count, weight == other.weight
        else { return false }
        let shareMethod = methods.isEmpty || methods.contains { other.methods.contains($0) }
        if conditions.contains(where: { mine in other.conditions.contains { mine.excludes($0) } }) { return false }
        let excludeEachOther = fields.contains { mine in
            other.fields.contains {
                $0.name == mine.name && $0.value != nil && mine.value != nil && $0.value != mine.value
            }
        }
        return shareMethod && !excludeEachOther
    }
}

/// What decides between two routes that both match.
public enum SpecificityRule: String, Sendable {
    case level, host, path, method, headers, match
    /// Only for routes whose conditions exclude each other, when a request repeats the field or the parameter.
    case order
}

/// What decides between patterns, worked out once: a sort compares each many times.
struct RouteRank {
    private let host: (Int, Int, Int)
    private let path: [UInt8]
    private let namesMethods: Bool
    private let fieldCount: Int
    private let conditionCount: Int
    private let weight: Int

    init(_ pattern: RoutePattern) {
        host = pattern.host.rank
        path = pattern.path.rank
        namesMethods = !pattern.methods.isEmpty
        fieldCount = pattern.fields.count
        conditionCount = pattern.conditions.count
        weight = pattern.weight
    }

    /// Which of two patterns of one profile comes first, and by what rule; nil when nothing tells them apart.
    func precedence(over other: RouteRank) -> (isFirst: Bool, by: SpecificityRule)? {
        if host != other.host { return (host > other.host, .host) }
        if path != other.path { return (other.path.lexicographicallyPrecedes(path), .path) }
        if namesMethods != other.namesMethods { return (namesMethods, .method) }
        if fieldCount != other.fieldCount { return (fieldCount > other.fieldCount, .headers) }
        if conditionCount != other.conditionCount { return (conditionCount > other.conditionCount, .match) }
        if weight != other.weight { return (weight > other.weight, .match) }
        return nil
    }
}
