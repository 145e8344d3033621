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

    package var label: String {
        let place = "\(host)\(path)"
        return (methods.isEmpty ? "" : methods.joined(separator: ",") + " ") + (place == "*/*" ? "*" : place)
    }

    /// Whether some request fits both, where host and path are the same.
    func overlaps(_ other: RoutePattern) -> Bool {
        guard host == other.host, path == other.path, methods.isEmpty == other.methods.isEmpty,
            fields.count == other.fields.count
        else { return false }
        let shareMethod = methods.isEmpty || methods.contains { other.methods.contains($0) }
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
    case level, host, path, method, headers
    /// Only for routes whose header conditions exclude each other, when a request repeats the field.
    case order
}

extension RoutePattern {
    /// Which of two patterns of one profile comes first, and by what rule; nil when nothing tells them apart.
    func precedence(over other: RoutePattern) -> (isFirst: Bool, by: SpecificityRule)? {
        if host.rank != other.host.rank { return (host.rank > other.host.rank, .host) }
        let (left, right) = (path.rank, other.path.rank)
        if left != right { return (right.lexicographicallyPrecedes(left), .path) }
        if methods.isEmpty != other.methods.isEmpty { return (!methods.isEmpty, .method) }
        if fields.count != other.fields.count { return (fields.count > other.fields.count, .headers) }
        return nil
    }
}
