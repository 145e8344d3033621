/// One line of a profile's `routes`: what it matches and what responds.
///
/// Immutable; an object, because a copy would count some thirty references (4 % of a start with 10,000 mocks).
@dynamicMemberLookup
public final class Route: Sendable {
    /// Where a route is written.
    public struct Place: Sendable {
        /// The profile that wrote it, which may be one that is extended.
        public let profile: String
        /// The kind of that profile.
        public let kind: ProfileKind
        public let file: String
        public let line: Int
    }

    /// The pattern in short, in visible ASCII: `api.shop.test/v1/cart/*`, with methods in front when it names any.
    public let label: String
    public let settings: RouteSettings
    public let responder: ResponderSettings
    public let place: Place
    /// Whether and how its origins' last good responses are kept; nil where they are not.
    public let offline: OfflineSettings?
    public let client: ClientSettings
    /// For each that the responder asks, the index in ``Profile/trust`` of the rule that gave it its policy, if one did.
    package let trustRules: [Int?]

    init(
        _ settings: RouteSettings, label: String? = nil, responder: ResponderSettings, at place: Place,
        offline: OfflineSettings?, client: ClientSettings, trustRules: [Int?]
    ) {
        (self.settings, self.responder, self.place) = (settings, responder, place)
        (self.offline, self.client, self.trustRules) = (offline, client, trustRules)
        self.label = label ?? settings.pattern.label
    }

    @inlinable
    public subscript<Value>(dynamicMember key: KeyPath<RouteSettings, Value>) -> Value { settings[keyPath: key] }

    @inlinable
    public subscript<Value>(dynamicMember key: KeyPath<Place, Value>) -> Value { place[keyPath: key] }
}

extension Route {
    /// The origins and profiles that it asks, in their order.
    var candidates: [OriginChain.Candidate] {
        switch responder {
        case .origin(let address, _): [.origin(address)]
        case .chain(let chain): chain.candidates
        case .local: []
        }
    }

    /// Its origins get the client's own Host.
    package var preservesHost: Bool {
        switch responder {
        case .origin(_, let preserveHost): preserveHost
        case .chain(let chain): chain.preserveHost
        case .local: false
        }
    }
}

extension Profile {
    /// The rule that gave an origin of a route its trust policy, if one did.
    package func trustRule(of address: OriginAddress, in route: Route) -> TrustRule? {
        let found = zip(route.candidates, route.trustRules).first { candidate, _ in
            if case .origin(address) = candidate { true } else { false }
        }
        return found?.1.map { trust[$0] }
    }
}

extension Route {
    /// The recording that responds, alone or before an origin.
    public var recording: RecordingSettings? {
        if case .local(let local) = responder { return local as? RecordingSettings }
        return settings.first as? RecordingSettings
    }

    /// The same without what comes first.
    public var withoutFirst: Route {
        var settings = settings
        settings.first = nil
        return Route(
            settings, label: label, responder: responder, at: place, offline: offline, client: client,
            trustRules: trustRules)
    }
}

/// What responds to the requests of a route.
public enum ResponderSettings: Sendable {
    /// `preserveHost` sends the client's own Host field on, instead of the origin's authority.
    case origin(OriginAddress, preserveHost: Bool)
    case chain(OriginChain)
    /// Shunt itself.
    case local(any LocalSettings)
}
