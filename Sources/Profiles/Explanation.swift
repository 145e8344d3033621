public import JSON

/// Which route of a profile would answer a request, and why; values only, rendered elsewhere.
public struct Explanation: Sendable {
    /// A route that was looked at and not taken.
    public struct NearMiss: Sendable {
        public let label: String
        public let place: Place
        /// The one thing that kept it from matching, or from being taken.
        public let reason: String
    }

    public let profile: String
    public let kind: ProfileKind
    public let method: String
    public let url: String
    /// Nil when nothing matches.
    public let route: Route?
    /// Why this one and not the runner-up.
    public let reason: String
    /// Where the request would go: the origin's URL with path and query.
    public let target: String?
    /// The trust rule that counts, or nil where none does and `default` is meant.
    public let trust: TrustRule?
    public let policy: TrustPolicy?
    /// When nothing matches: the routes that came nearest.
    public let nearMisses: [NearMiss]
}

/// Why a URL could not be explained.
public struct ExplanationError: Error, Sendable {
    public let message: String
}

extension Explanation {
    /// The same as JSON.
    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("profile", profile)
            object.member("kind", kind.rawValue)
            object.member("method", method)
            object.member("url", url)
            object.key("route")
            if let route {
                object.object { item in
                    item.member("label", route.label)
                    item.member("profile", route.profile)
                    item.member("place", route.place.description)
                }
            } else {
                object.null()
            }
            object.member("reason", reason)
            object.member("target", target)
            object.key("trust")
            if let policy {
                object.object { item in
                    item.member("policy", policy.name)
                    item.member("rule", trust?.pattern)
                    item.member("place", trust?.place.description)
                    if case .default(let authorities) = policy { item.member("certificateAuthorities", authorities) }
                }
            } else {
                object.null()
            }
            object.key("nearMisses")
            object.array { list in
                for miss in nearMisses {
                    list.object { item in
                        item.member("label", miss.label)
                        item.member("place", miss.place.description)
                        item.member("reason", miss.reason)
                    }
                }
            }
        }
    }
}
