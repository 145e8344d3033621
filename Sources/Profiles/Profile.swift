/// A named environment: its routes and how its origins are trusted, with all that it extends.
///
/// Immutable.
public final class Profile: Sendable {
    public let name: String
    public let kind: ProfileKind
    public let summary: String?
    /// The names of the profiles that it extends, nearest first.
    public let ancestors: [String]
    /// All levels one after the other, its own first, each in the order of precedence.
    public let routes: [Route]
    /// Own rules first.
    public let trust: [TrustRule]
    /// Where it is defined.
    public let file: String
    let levels: [RouteTable]

    init(
        name: String, kind: ProfileKind, summary: String?, ancestors: [String], levels: [[Route]],
        trust: [TrustRule], file: String
    ) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.ancestors = ancestors
        self.trust = trust
        self.file = file
        var all: [Route] = []
        var tables: [RouteTable] = []
        for routes in levels {
            let sorted = routes.sorted(by: Profile.comesFirst)
            tables.append(RouteTable(sorted.map(\.pattern), first: all.count))
            all += sorted
        }
        routes = all
        self.levels = tables
    }

    private static func comesFirst(_ a: Route, _ b: Route) -> Bool {
        if a.pattern.host.rank != b.pattern.host.rank { return a.pattern.host.rank > b.pattern.host.rank }
        return a.pattern.precedes(b.pattern)?.isFirst ?? false
    }

    /// The index in ``routes`` of the one that answers a request, or nil.
    ///
    /// No allocation for paths in normal form.
    /// - Parameters:
    ///   - host: without port and brackets, in any case of letters.
    ///   - path: without its query.
    ///   - hasField: whether the request has a field of that name (small letters), with that value if one is given.
    public func match(
        host: Span<UInt8>, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool
    ) -> Int? {
        if path.isEmpty || PathName.needsWork(path) {
            let normal =
                path.isEmpty ? [UInt8(ascii: "/")] : PathName.normalised(path.withUnsafeBufferPointer(Array.init))
            return match(host, port, normal.span, method, hasField)
        }
        return match(host, port, path, method, hasField)
    }

    private func match(
        _ host: Span<UInt8>, _ port: UInt16?, _ path: Span<UInt8>, _ method: Span<UInt8>,
        _ hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool
    ) -> Int? {
        for level in levels {
            if let found = level.match(host, port, path, method, hasField) { return found }
        }
        return nil
    }
}

/// How the certificates of some hosts are judged, and where that is written.
public struct TrustRule: Sendable {
    /// As in the profile: `*.shop.test`, `@loopback`.
    public let pattern: String
    public let policy: TrustPolicy
    public let profile: String
    public let kind: ProfileKind
    public let place: Place
    let host: HostPattern
    /// How many `extends` lie between the rule's profile and the one that is asked.
    let level: Int
}
