import Profiles
import TLS

/// All profiles of a folder made ready for the data path, and which of them is active.
///
/// Immutable.
final class Environment: Sendable {
    let library: ProfileLibrary
    let active: ProfilePlan
    /// In the order of `library.profiles`.
    let plans: [ProfilePlan]
    /// What routes refer to by index; workers keep one pool for each.
    let origins: [OriginPlan]
    /// TLS towards origins, by trust policy; shared so that `use` keeps connections and sessions.
    private let contexts: [TrustPolicy: ClientContext]

    /// Compiles a library.
    ///
    /// Contexts are made anew, so that a changed CA file counts.
    init(_ library: ProfileLibrary, active name: String) throws(ProxyError) {
        var contexts: [TrustPolicy: ClientContext] = [:]
        var origins: [OriginPlan] = []
        var indexes: [OriginAddress: Int] = [:]
        var plans: [ProfilePlan] = []
        for profile in library.profiles {
            var routes: [RoutePlan] = []
            for route in profile.routes {
                let answer: RoutePlan.Answer
                switch route.responder {
                case .mock(let mock): answer = .mock(LocalAnswer(mock))
                case .chain: answer = .mock(LocalAnswer(status: 501, fields: [], body: []))
                case .origin(let address, let preserveHost):
                    if indexes[address] == nil {
                        if address.isTLS && contexts[address.trust] == nil {
                            do throws(TLSFailure) {
                                contexts[address.trust] = try ClientContext(
                                    policy: address.trust.verification, alpn: ["http/1.1"])
                            } catch {
                                throw .trust(profile: profile.name, reason: error.message)
                            }
                        }
                        indexes[address] = origins.count
                        origins.append(
                            OriginPlan(address, context: address.isTLS ? contexts[address.trust] : nil))
                    }
                    answer = .origin(indexes[address] ?? 0, preserveHost: preserveHost)
                }
                routes.append(RoutePlan(route, in: profile, answer))
            }
            plans.append(ProfilePlan(profile, routes))
        }
        guard let active = plans.first(where: { $0.profile.name == name }) else {
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        self.library = library
        self.contexts = contexts
        self.origins = origins
        self.plans = plans
        self.active = active
    }

    private init(_ other: Environment, active: ProfilePlan) {
        library = other.library
        contexts = other.contexts
        origins = other.origins
        plans = other.plans
        self.active = active
    }

    /// The same profiles with another one active.
    func using(_ name: String) throws(ProxyError) -> Environment {
        guard let plan = plan(named: name) else {
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        return Environment(self, active: plan)
    }

    func plan(named name: String) -> ProfilePlan? { plans.first { $0.profile.name == name } }

    /// Whether both have the same origins under the same indexes, so that pools can stay.
    func sharesOrigins(with other: Environment) -> Bool {
        origins.count == other.origins.count && zip(origins, other.origins).allSatisfy { $0 === $1 }
    }
}

/// A profile with what its routes do.
final class ProfilePlan: Sendable {
    let profile: Profile
    let routes: [RoutePlan]

    init(_ profile: Profile, _ routes: [RoutePlan]) {
        self.profile = profile
        self.routes = routes
    }
}

/// What a route does, with its constant bytes.
final class RoutePlan: Sendable {
    enum Answer: Sendable {
        case origin(Int, preserveHost: Bool)
        case mock(LocalAnswer)
    }

    let route: Route
    let profileName: String
    let answer: Answer
    /// The `Shunt-Answered-By` field line.
    let answeredBy: [UInt8]

    init(_ route: Route, in profile: Profile, _ answer: Answer) {
        self.route = route
        self.answer = answer
        profileName = profile.name
        // A quoted-string (RFC 9110 5.6.4).
        let label = route.label.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
        var line = "Shunt-Answered-By: \(profile.name); route=\"\(label)\""
        if route.profile != profile.name { line += "; from=\(route.profile)" }
        if case .mock = answer { line += "; mock" }
        answeredBy = Array((line + "\r\n").utf8)
    }
}

/// An origin with its constant bytes.
final class OriginPlan: Sendable {
    let address: OriginAddress
    /// nil for plain HTTP.
    let context: ClientContext?
    /// The `Host` field line.
    let hostLine: [UInt8]
    let basePath: [UInt8]

    init(_ address: OriginAddress, context: ClientContext?) {
        self.address = address
        self.context = context
        hostLine = Array("Host: \(address.authority)\r\n".utf8)
        basePath = Array(address.basePath.utf8)
    }
}

extension TrustPolicy {
    var verification: VerificationPolicy {
        switch self {
        case .default(let authorities): .standard(extraAuthorities: authorities)
        case .disabled: .none
        }
    }
}
