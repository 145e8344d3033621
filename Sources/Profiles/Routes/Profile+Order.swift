extension Profile {
    /// All routes in the order in which they win: level by level, within a level the most specific first.
    public var routesInOrder: [Route] {
        ranges.flatMap { range in
            routes[range].map { (route: $0, rank: RouteRank($0.pattern)) }
                .sorted { $0.rank.precedence(over: $1.rank)?.isFirst ?? false }
                .map(\.route)
        }
    }
}

extension Route {
    /// What responds, in short: the key in the profile, and the origins or profiles that are asked.
    public var responderName: (kind: String, targets: [String]) {
        switch responder {
        case .origin(let address, _): ("origin", ["\(address)"])
        case .chain(let chain):
            (
                "origin",
                chain.candidates.map { candidate in
                    switch candidate {
                    case .origin(let address): "\(address)"
                    case .profile(let name): "profile:\(name)"
                    }
                }
            )
        case .local(let local): (type(of: local).key, [])
        }
    }

    /// Whether one of its origins is asked without a check of its certificate.
    public var isUnverified: Bool { responder.addresses.contains { $0.isTLS && $0.trust.isUnverified } }
}
