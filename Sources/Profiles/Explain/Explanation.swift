/// Which route responds to a request and why, or which nearly did.
public struct Explanation: Sendable {
    /// The result of a matching route.
    public struct Response: Sendable {
        /// The profile that was asked; the route may be one of those that it extends.
        public let profile: Profile
        /// The index in ``Profile/routes``.
        public let index: Int
        public let route: Route
        /// The reason, as a sentence without its full stop.
        public let why: String
        /// The difference to the runner-up; nil if there is none.
        public let rule: SpecificityRule?
        /// The route that would respond if this one were not there.
        public let runnerUp: Route?
        /// Those that are asked, in their order; one for a single origin, none for a mock.
        public internal(set) var candidates: [Candidate]
        /// What production's guard says; ``Explanation/judged(by:)`` asks it.
        public internal(set) var guarding = Guarding.none
        /// What a request passes on its way to the route's responder.
        public var order: [RouteWrapper] { route.wrappers(isGuarded: guarding != .none) }
        /// Which recorded responses it gets; nil where no recording responds.
        public let recorded: String?
        /// Routes that would come before it but for one condition on the request beside host, path and method; at most
        /// three.
        public let missed: [NearMiss]

        /// The URL the request would go to; nil for a mock and for a chain.
        public var origin: String? { single?.url }

        /// The rule that gave the origin its trust policy; nil for `default` without a rule, for http, mocks and chains.
        public var trustRule: TrustRule? { single?.rule }

        /// How the origin's certificate is judged; nil when there is none to judge.
        public var trust: TrustPolicy? { single.flatMap { $0.address.isTLS ? $0.address.trust : nil } }

        private var single: OriginCandidate? {
            guard case .origin = route.responder, case .origin(let candidate)? = candidates.first else { return nil }
            return candidate
        }
    }

    /// A candidate of the route.
    public enum Candidate: Sendable {
        case origin(OriginCandidate)
        /// Another profile, with its own route for the request; nil if it has none.
        case profile(String, Response?)
        /// Another profile that is shown already, or the one that refers to it.
        case repeated(String)
    }

    /// An origin.
    public struct OriginCandidate: Sendable {
        public let address: OriginAddress
        /// Where the request would go.
        public let url: String
        /// The rule that gave the address its trust policy, if any.
        public let rule: TrustRule?
    }

    /// The decision of production's guard on a request.
    public enum Guarding: Hashable, Sendable {
        /// Nothing of production would respond.
        case none
        /// It passes, for this reason; a sentence without its full stop.
        case passes(String)
        /// It is refused until these profiles are unlocked, for this reason.
        ///
        /// The cause names the profile of the origin, if the profile that responds is not production itself.
        case refused(String, profiles: [String], cause: String? = nil)
    }

    /// A route that did not match, and the first mismatch.
    public struct NearMiss: Sendable {
        public enum Part: String, Sendable { case host, port, path, method, header, query, cookie, body, state, off }

        public let route: Route
        public let part: Part
        /// For example: `the method is GET, not POST`.
        public let reason: String
    }

    public enum Outcome: Sendable {
        case withResponse(Response)
        /// Nothing matches; the nearest routes, at most five, nearest first.
        case withoutResponse([NearMiss])
        /// It needs no route: who responds, in words.
        case withoutRoute(String)
    }

    public let profile: String
    public let method: String
    /// The request's URL, its host normalised.
    public let url: String
    /// The path as routes see it: escapes and dot segments resolved.
    public let path: String
    /// The environment that the host names in front, without its `--`, and the rest of the host, which routes match.
    public let label: (environment: String, host: String)?
    /// What has chosen the profile, as a log has it; nil where that was not asked.
    package var chosenBy: String?
    /// What is switched in the profile that responds; nil where that is not known.
    package let live: LiveProfile?
    public package(set) var outcome: Outcome
    /// Why no route responds, other than that none fits; nil where one does.
    public package(set) var refusal: Refusal?

    /// The response of Shunt itself to a request that it refuses.
    public struct Refusal: Sendable {
        public let status: Int
        public let reason: String
        public let advice: String?

        package init(status: Int, reason: String, advice: String?) {
            (self.status, self.reason, self.advice) = (status, reason, advice)
        }
    }
}

extension Explanation {
    /// Asks production's guard about each route that would respond.
    package func judged(by guarding: (Response) async -> Guarding) async -> Explanation {
        guard case .withResponse(let response) = outcome else { return self }
        var judged = self
        judged.outcome = .withResponse(await response.judged(by: guarding))
        return judged
    }
}

extension Explanation.Response {
    fileprivate func judged(by guarding: (Self) async -> Explanation.Guarding) async -> Self {
        var judged = self
        judged.guarding = await guarding(self)
        for (at, candidate) in candidates.enumerated() {
            guard case .profile(let name, let response?) = candidate else { continue }
            judged.candidates[at] = .profile(name, await response.judged(by: guarding))
        }
        return judged
    }
}

extension Explanation {
    /// Host and port of each origin that might be asked and has a command.
    package var programs: [String] {
        guard case .withResponse(let response) = outcome else { return [] }
        return response.programs
    }
}

extension Explanation.Response {
    fileprivate var programs: [String] {
        candidates.flatMap { candidate -> [String] in
            switch candidate {
            case .origin(let origin):
                guard origin.address.program != nil else { return [] }
                return [origin.address.place]
            case .profile(_, let response): return response?.programs ?? []
            case .repeated: return []
            }
        }
    }
}
