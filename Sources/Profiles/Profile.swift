import Synchronization

/// An environment, ready for requests: its routes and trust rules with those of the profile that it extends.
///
/// Immutable; a change of files makes a new one.
public final class Profile: Sendable {
    public let name: String
    public let kind: ProfileKind
    public let description: String?
    public let file: String
    /// This profile's name and those it extends, in the order in which they are asked.
    public let levels: [String]
    /// All levels' routes, this profile's first, overrides before the level that they override, each in the order of
    /// its file.
    public let routes: [Route]
    /// All levels' trust rules, this profile's first.
    public let trust: [TrustRule]
    /// The policy of https hosts without a rule: `default`, with the profile-wide authorities.
    public let trustWithoutRule: TrustPolicy
    /// The name of the jar that keeps this profile's cookies apart from other environments'; nil without one.
    public let cookieJar: String?
    /// WebSockets and event streams of the profile before end when this one becomes active.
    public let closesSockets: Bool
    /// What is put into requests of its routes in the place of clients' tokens.
    package let token: TokenSettings?
    /// What browsers forget with the first page that they get after a switch to this profile.
    public let clearOnSwitch: [ClearedData]
    /// All levels' rules for secrets in recorded traffic.
    public let redaction: RedactionSettings
    /// All levels' hosts by which clients may reach routes for every host, beside those that are known anyway.
    package let allowedHosts: [HostPattern]
    /// An https host without a trust rule is refused.
    let mustEvaluateAll: Bool
    /// What the network of its clients is like; nil for the one that there is.
    public let network: NetworkConditions?
    /// Programs of this machine whose requests it responds to, whichever profile is active.
    public let apps: [String]
    /// The scenarios of the routes, each with the state that it begins in: the one that its first route waits for.
    public var scenarios: [String: String] {
        var found: [String: String] = [:]
        for condition in routes.flatMap(\.settings.pattern.conditions) {
            if case .state(let name) = condition.subject, case .equals(let state) = condition.test, found[name] == nil {
                found[name] = state
            }
        }
        return found
    }

    /// The indices in ``routes`` of each file's, in the order in which they are asked.
    let ranges: [Range<Int>]
    public let allRoutes: RouteSelection
    /// Made when the first request without a route asks.
    private let places = Mutex<RoutePlaces?>(nil)
    /// The rules of ``trust`` by the hosts that they name.
    let trustIndex: TrustIndex
    /// Made when the first client of a forward proxy asks.
    private let named = Mutex<Set<HostPattern>?>(nil)

    init(
        name: String, kind: ProfileKind, description: String?, file: String, levels: [String], routes: [Route],
        ranges: [Range<Int>], trust: [TrustRule], trustWithoutRule: TrustPolicy,
        cookieJar: String?, token: TokenSettings?, closesSockets: Bool, clearOnSwitch: [ClearedData],
        redaction: RedactionSettings,
        allowedHosts: [HostPattern], mustEvaluateAll: Bool, network: NetworkConditions?, apps: [String]
    ) {
        (self.name, self.kind, self.description, self.file) = (name, kind, description, file)
        (self.levels, self.routes, self.ranges, self.trust) = (levels, routes, ranges, trust)
        (self.trustWithoutRule, self.cookieJar, self.token) = (trustWithoutRule, cookieJar, token)
        (self.closesSockets, self.clearOnSwitch, self.redaction) = (closesSockets, clearOnSwitch, redaction)
        (self.allowedHosts, self.mustEvaluateAll, self.network) = (allowedHosts, mustEvaluateAll, network)
        self.apps = apps
        allRoutes = RouteSelection(levels: ranges, patterns: routes.map(\.settings.pattern))
        trustIndex = TrustIndex(trust.map { ($0.hosts, $0.file) })
    }

    /// Indices in ``routes`` of those that may be nearest to a request; all of few.
    ///
    /// - Parameter path: normalised.
    package func routes(near host: String, _ path: [UInt8]) -> [Int] {
        if routes.count <= Self.fewRoutes { return Array(routes.indices) }
        let known = places.withLock { places in
            if places == nil { places = RoutePlaces(routes.map(\.settings.pattern)) }
            return places
        }
        return known?.near(host: host, path: path) ?? []
    }

    private static let fewRoutes = 64

    /// The host patterns of all routes, each once.
    var hostPatternSet: Set<HostPattern> {
        named.withLock { named in
            let known = named ?? Set(routes.map(\.settings.pattern.host))
            named = known
            return known
        }
    }

    /// The route that responds to a request, as an index into ``routes``.
    ///
    /// - Parameters:
    ///   - host: the authority's host as received, without port, with or without brackets; empty when there is none.
    ///   - port: the authority's port, or its scheme's default; with nil, patterns that name a port do not match.
    ///   - path: the raw path without its query.
    ///   - hasField: asked only for routes that fit otherwise: is there a field of that lower-case name, with exactly
    ///     that value if one is given?
    ///   - meets: asked last, for routes that ask for more: does the request meet the condition?
    public func match(
        host: Span<UInt8>, port: UInt16?, path: Span<UInt8>, method: Span<UInt8>,
        hasField: (_ name: [UInt8], _ value: [UInt8]?) -> Bool,
        meets: (RequestCondition) -> Bool = { _ in false }
    ) -> Int? {
        allRoutes.match(host: host, port: port, path: path, method: method, hasField: hasField, meets: meets)
    }

    /// All routes but those at the given indices.
    public func routes(without off: Set<Int>) -> RouteSelection {
        off.isEmpty ? allRoutes : RouteSelection(levels: ranges, patterns: routes.map(\.settings.pattern), without: off)
    }
}
