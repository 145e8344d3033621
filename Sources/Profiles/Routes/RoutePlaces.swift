/// The routes of a profile in the order of their hosts and paths, by which those that are like a request's are found
/// without a look at all others.
struct RoutePlaces: Sendable {
    private struct Place: Sendable {
        let key: [UInt8]
        let route: Int
    }

    /// So many routes beside the place of a path, on either side, are near it.
    private static let reach = 16
    /// Routes with a `*` that are looked at for each beginning of a path.
    private static let stars = 4
    /// Segments of a path, and domains of a host, that are looked at.
    private static let maxDepth = 8
    /// Ends a host; no path has it.
    private static let end: UInt8 = 0xFF

    private let byHost: [Place]
    private let byPath: [Place]

    init(_ patterns: [RoutePattern]) {
        func sorted(_ key: (RoutePattern) -> [UInt8]) -> [Place] {
            patterns.indices.map { Place(key: key(patterns[$0]), route: $0) }
                .sorted { $0.key == $1.key ? $0.route < $1.route : $0.key.lexicographicallyPrecedes($1.key) }
        }
        byHost = sorted { Self.key(HostPattern(scope: $0.host.scope, port: nil).description, $0.path.bytes) }
        byPath = sorted(\.path.bytes)
    }

    /// Indices of routes that are near a host and a path, in rising order: a bounded number, however many there are.
    ///
    /// - Parameter path: normalised.
    func near(host: String, path: [UInt8]) -> [Int] {
        var found: Set<Int> = []
        for name in Self.patterns(covering: host) {
            add(to: &found, byHost, Self.key(name, path), from: name.utf8.count + 1)
        }
        add(to: &found, byPath, path, from: 0)
        return found.sorted()
    }

    /// - Parameter start: where the path begins in the key; what differs before is not near.
    private func add(to found: inout Set<Int>, _ places: [Place], _ key: [UInt8], from start: Int) {
        func isNear(_ at: Int) -> Bool { places[at].key.starts(with: key[..<start]) }
        let middle = Self.position(of: key[...], in: places)
        let (below, above) = (max(0, middle - Self.reach), min(places.count, middle + Self.reach))
        for at in below..<above where isNear(at) { found.insert(places[at].route) }
        // A `*` stands before all other segments, and may be far from the path's own place.
        let slashes = key.indices[start...].lazy.filter { key[$0] == UInt8(ascii: "/") }
        for slash in slashes.prefix(Self.maxDepth) {
            let beginning = key[...slash] + [PathPattern.star]
            let first = Self.position(of: beginning, in: places)
            for at in first..<min(places.count, first + Self.stars) where places[at].key.starts(with: beginning) {
                found.insert(places[at].route)
            }
        }
    }

    /// The first place that does not come before a key.
    private static func position(of key: ArraySlice<UInt8>, in places: [Place]) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func key(_ host: String, _ path: [UInt8]) -> [UInt8] { Array(host.utf8) + [end] + path }

    private static func patterns(covering host: String) -> [String] {
        HostPattern.covering(host: host, maxDomains: maxDepth).map { HostPattern(scope: $0, port: nil).description }
    }
}

extension HostPattern {
    /// The scopes of routes that cover a host, the most specific first.
    ///
    /// - Parameter maxDomains: the domains above the host that are returned, the shortest ones.
    static func covering(host: String, maxDomains: Int = .max) -> [Scope] {
        let dots = host.indices.filter { host[$0] == "." }
        let domains = dots.suffix(maxDomains).map { Scope.below(String(host[host.index(after: $0)...])) }
        return [.exact(host)] + domains + [.any]
    }
}
