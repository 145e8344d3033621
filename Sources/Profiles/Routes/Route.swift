/// One line of a profile's `routes`: what it matches and what responds.
///
/// Immutable; an object, because a copy would count some thirty references (4 % of a start with 10,000 mocks).
public final class Route: Sendable {
    /// The pattern in short, in visible ASCII: `api.shop.test/v1/cart/*`, with methods in front when it names any.
    public let label: String
    /// By which it is switched on and off, unique in its file; nil where an origin responds.
    public let name: String?
    public let responder: ResponderSettings
    /// What is looked for first; the responder has the rest.
    public let first: (any LocalSettings)?
    /// The profile that wrote the route, which may be one that is extended.
    public let profile: String
    /// The kind of that profile.
    public let kind: ProfileKind
    public let file: String
    public let line: Int
    public let rewrite: RewriteSettings
    /// nil leaves cross-origin requests to the origin.
    public let cors: CORSSettings?
    public let guards: GuardSettings
    /// nil where requests and responses pass as they are.
    public let changes: RouteChanges?
    /// The state that a response of it leads to.
    public let then: StateChange?
    /// What goes wrong with its responses, in the order in which chance is asked.
    public let faults: [Fault]
    /// Conditions of its responses alone.
    public let network: NetworkConditions?
    /// Whether and how its origins' last good responses are kept; nil where they are not.
    public let offline: OfflineSettings?
    public let client: ClientSettings
    /// TLS connections that name its host go to the origin unread.
    public let isPassthrough: Bool
    public let relay: RelaySettings
    package let pattern: RoutePattern
    /// For each that the responder asks, the index in ``Profile/trust`` of the rule that gave it its policy, if one did.
    package let trustRules: [Int?]

    init(
        label: String, name: String?, responder: ResponderSettings, first: (any LocalSettings)?, profile: String,
        kind: ProfileKind, file: String, line: Int, rewrite: RewriteSettings, cors: CORSSettings?,
        guards: GuardSettings, changes: RouteChanges?, then: StateChange?, faults: [Fault],
        network: NetworkConditions?, offline: OfflineSettings?, pattern: RoutePattern, trustRules: [Int?],
        client: ClientSettings, isPassthrough: Bool = false, relay: RelaySettings = RelaySettings()
    ) {
        self.label = label
        self.name = name
        self.responder = responder
        self.first = first
        self.profile = profile
        self.kind = kind
        self.file = file
        self.line = line
        self.rewrite = rewrite
        self.cors = cors
        self.guards = guards
        self.changes = changes
        self.then = then
        self.faults = faults
        self.network = network
        self.offline = offline
        self.client = client
        self.pattern = pattern
        self.trustRules = trustRules
        self.isPassthrough = isPassthrough
        self.relay = relay
    }
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
        return first as? RecordingSettings
    }

    /// The same without what comes first.
    public var withoutFirst: Route {
        Route(
            label: label, name: name, responder: responder, first: nil, profile: profile, kind: kind, file: file,
            line: line, rewrite: rewrite, cors: cors, guards: guards, changes: changes, then: then, faults: faults,
            network: network, offline: offline, pattern: pattern, trustRules: trustRules, client: client,
            isPassthrough: isPassthrough, relay: relay)
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
