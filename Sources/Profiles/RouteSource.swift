import JSON

/// A route as decoded, before its origins are judged.
struct RouteSource {
    enum Response {
        case origin(OriginURL, preserveHost: Bool)
        case chain([OriginHop], preserveHost: Bool, FallbackSettings)
        case local(any LocalSettings)
    }

    let pattern: RoutePattern
    let response: Response
    let rewrite: RewriteSettings
    let cors: CORSSettings?
    let guards: GuardSettings
    let place: JSONPosition
}

/// One of those that are asked in turn.
enum OriginHop {
    case origin(OriginURL)
    case profile(String, place: JSONPosition)

    static let prefix = "profile:"
    static let example = "[\"https://localhost:3000\", \"profile:staging\"]"
}

extension RouteSource {
    var hops: [OriginHop] {
        switch response {
        case .origin(let url, _): [.origin(url)]
        case .chain(let hops, _, _): hops
        case .local: []
        }
    }

    /// Those that have a certificate to be judged.
    var secureOrigins: [OriginURL] {
        hops.compactMap { hop in
            if case .origin(let url) = hop, url.isTLS { url } else { nil }
        }
    }

    /// The names of profiles that are asked, with their places.
    var askedProfiles: [(name: String, place: JSONPosition)] {
        hops.compactMap { hop in
            if case .profile(let name, let place) = hop { (name, place) } else { nil }
        }
    }
}
