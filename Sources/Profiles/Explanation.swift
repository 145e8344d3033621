/// Which route answers a request and why, or which nearly did.
public struct Explanation: Sendable {
    /// What a route that matched leads to.
    public struct Answer: Sendable {
        /// The index in ``Profile/routes``.
        public let index: Int
        public let route: Route
        /// What decided, as a sentence without its full stop.
        public let why: String
        /// What told it from the runner-up; nil when there is none.
        public let rule: SpecificityRule?
        /// The route that would answer if this one were not there.
        public let runnerUp: Route?
        /// The URL the request would go to; nil for a mock.
        public let origin: String?
        /// The rule that gave the origin its trust policy; nil for `default` without a rule, for http and for mocks.
        public let trustRule: TrustRule?

        /// How the origin's certificate is judged; nil when there is none to judge.
        public var trust: TrustPolicy? {
            if case .origin(let address, _) = route.responder, address.isTLS { address.trust } else { nil }
        }
    }

    /// A route that did not match, and the first thing that kept it from it.
    public struct NearMiss: Sendable {
        public enum Part: String, Sendable { case host, port, path, method, header }

        public let route: Route
        public let part: Part
        /// For example: `the method is GET, not POST`.
        public let reason: String
    }

    public enum Outcome: Sendable {
        case answered(Answer)
        /// Nothing matches; the nearest routes, at most five, nearest first.
        case unanswered([NearMiss])
    }

    public let profile: String
    public let method: String
    /// The request's URL, its host normalised.
    public let url: String
    /// The path as routes see it: escapes and dot segments resolved.
    public let path: String
    public let outcome: Outcome
}
