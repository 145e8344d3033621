import JSON

/// Refuses routes of profiles that are no production, and lead to the production environment of APNs.
struct PushGuard {
    /// Each profile with all it extends, itself first.
    let chains: [[ProfileSource]]
    let problems: ProblemList

    func check() {
        for chain in chains {
            guard let profile = chain.first, profile.kind != .production else { continue }
            for level in chain {
                for route in level.routes {
                    for case .origin(let url) in route.candidates where PushHost.isProduction(url.host) {
                        report(url, route, of: level, in: profile)
                    }
                    guard let push = route.first as? PushSettings, push.environment == .production else { continue }
                    level.reporter(problems).report(
                        route.place,
                        "\"push\" has the environment production in \(inheritance(level, profile)), whose kind is "
                            + "\(profile.kind?.rawValue ?? "none")",
                        expected: "\"sandbox\", or a profile of the kind production")
                }
            }
        }
    }

    private func report(_ url: OriginURL, _ route: RouteSource, of level: ProfileSource, in profile: ProfileSource) {
        // Reported by its environment.
        if let push = route.first as? PushSettings, push.environment == .production { return }
        level.reporter(problems).report(
            route.place,
            "the route \(route.pattern.label) leads to \(url.host), which delivers to the devices of users, in "
                + "\(inheritance(level, profile)), whose kind is \(profile.kind?.rawValue ?? "none")",
            expected: "\(PushHost.sandbox), or a profile of the kind production")
    }

    private func inheritance(_ level: ProfileSource, _ profile: ProfileSource) -> String {
        level.name == profile.name
            ? "the profile \"\(profile.name)\"" : "the profile \"\(profile.name)\" that extends it"
    }
}
