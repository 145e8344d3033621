import JSON
import Recordings

/// A route as decoded, before its origins are judged; an object as ``Route`` is.
final class RouteSource: Sendable {
    enum Response: Sendable {
        case origin(OriginURL, preserveHost: Bool)
        case chain([OriginCandidate], preserveHost: Bool, FallbackSettings)
        case local(any LocalSettings)
    }

    let pattern: RoutePattern
    /// nil where an origin responds.
    let name: String?
    let response: Response
    /// What comes before an origin.
    let first: (any LocalSettings)?
    let rewrite: RewriteSettings
    let cors: CORSSettings?
    let guards: GuardSettings
    let changes: RouteChanges?
    let then: StateChange?
    let faults: [Fault]
    let network: NetworkConditions?
    /// nil leaves it to the profile.
    let offline: OfflineSource?
    let client: ClientSource
    let place: JSONPosition
    /// TLS connections that name its host go to the origin unread.
    let isPassthrough: Bool
    let relay: RelaySettings

    init(
        pattern: RoutePattern, name: String?, response: Response, first: (any LocalSettings)?,
        rewrite: RewriteSettings, cors: CORSSettings?, guards: GuardSettings, changes: RouteChanges?,
        then: StateChange?, faults: [Fault], network: NetworkConditions?, offline: OfflineSource?, client: ClientSource,
        place: JSONPosition, isPassthrough: Bool, relay: RelaySettings
    ) {
        self.pattern = pattern
        self.name = name
        self.response = response
        self.first = first
        self.rewrite = rewrite
        self.cors = cors
        self.guards = guards
        self.changes = changes
        self.then = then
        self.faults = faults
        self.network = network
        self.offline = offline
        self.client = client
        self.place = place
        self.isPassthrough = isPassthrough
        self.relay = relay
    }
}

/// One of those that are asked in turn.
enum OriginCandidate: Sendable {
    case origin(OriginURL)
    case profile(String, place: JSONPosition)

    /// A profile's own routes say how their origins are reached.
    func reached(by proxy: OriginProxy) -> OriginCandidate {
        guard case .origin(var url) = self else { return self }
        url.proxy = proxy
        return .origin(url)
    }

    static let prefix = "profile:"
    static let example = "[\"https://localhost:3000\", \"profile:staging\"]"
}

extension RouteSource {
    /// The same route under a name.
    func named(_ name: String) -> RouteSource {
        RouteSource(
            pattern: pattern, name: name, response: response, first: first, rewrite: rewrite, cors: cors,
            guards: guards, changes: changes, then: then, faults: faults, network: network, offline: offline,
            client: client, place: place, isPassthrough: isPassthrough, relay: relay)
    }

    /// Shunt itself responds.
    var isLocal: Bool { if case .local = response { true } else { false } }

    /// The files of recordings that respond.
    var recordings: [String] {
        var settings = first as? RecordingSettings
        if case .local(let local as RecordingSettings) = response { settings = local }
        return settings.map { [$0.index.file.path] } ?? []
    }

    var candidates: [OriginCandidate] {
        switch response {
        case .origin(let url, _): [.origin(url)]
        case .chain(let candidates, _, _): candidates
        case .local: []
        }
    }

    /// Those that have a certificate to be judged.
    var secureOrigins: [OriginURL] {
        candidates.compactMap { candidate in
            if case .origin(let url) = candidate, url.isTLS { url } else { nil }
        }
    }

    /// The names of profiles that are asked, with their places.
    var askedProfiles: [(name: String, place: JSONPosition)] {
        candidates.compactMap { candidate in
            if case .profile(let name, let place) = candidate { (name, place) } else { nil }
        }
    }
}
