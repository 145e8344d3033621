import JSON
import Recordings

/// A route as decoded, before its origins are judged; an object as ``Route`` is.
@dynamicMemberLookup
final class RouteSource: Sendable {
    enum Response: Sendable {
        case origin(OriginURL, preserveHost: Bool)
        case chain([OriginCandidate], preserveHost: Bool, FallbackSettings)
        case local(any LocalSettings)
    }

    let settings: RouteSettings
    let response: Response
    /// nil leaves it to the profile.
    let offline: OfflineSource?
    let client: ClientSource
    let place: JSONPosition

    init(
        _ settings: RouteSettings, response: Response, offline: OfflineSource?, client: ClientSource,
        place: JSONPosition
    ) {
        (self.settings, self.response, self.offline) = (settings, response, offline)
        (self.client, self.place) = (client, place)
    }

    subscript<Value>(dynamicMember key: KeyPath<RouteSettings, Value>) -> Value { settings[keyPath: key] }
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
        var settings = settings
        settings.name = name
        return RouteSource(settings, response: response, offline: offline, client: client, place: place)
    }

    /// Shunt itself responds.
    var isLocal: Bool { if case .local = response { true } else { false } }

    /// The files of recordings that respond.
    var recordings: [String] {
        var recording = settings.first as? RecordingSettings
        if case .local(let local as RecordingSettings) = response { recording = local }
        return recording.map { [$0.index.file.path] } ?? []
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
