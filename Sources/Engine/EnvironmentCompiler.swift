import HTTP
import Profiles
import Rewriting
import TLS
import Traffic

/// Turns profiles into what the data path goes by, each origin once.
struct EnvironmentCompiler {
    private let library: ProfileLibrary
    private let usesJars: Bool
    /// TLS towards origins, by trust policy.
    private var contexts: [TrustPolicy: ClientContext] = [:]
    private var indexes: [OriginAddress: Int] = [:]
    private(set) var origins: [OriginPlan] = []

    init(_ library: ProfileLibrary) {
        self.library = library
        usesJars = library.profiles.contains { $0.cookieJar != nil }
    }

    mutating func plan(_ profile: Profile) throws(ProxyError) -> ProfilePlan {
        let others = hosts(of: profile)
        var routes: [RoutePlan] = []
        for route in profile.routes { routes.append(try plan(route, of: profile, others)) }
        return ProfilePlan(profile, routes, ProfileRedaction(of: profile, in: library))
    }

    private mutating func plan(
        _ route: Route, of profile: Profile, _ others: [(host: String, origin: OriginName)]
    ) throws(ProxyError) -> RoutePlan {
        let cors = route.cors.map { CORSRules($0) }
        let answer: RoutePlan.Answer
        switch route.responder {
        case .mock(let mock): answer = .mock(LocalAnswer(mock, dropping: cors == nil ? [] : CORSRules.answerNames))
        case .origin(let address, let preserveHost):
            answer = .origin(try use(address, preserveHost: preserveHost, route, profile, others))
        case .chain(let chain):
            var hops: [RoutePlan.Hop] = []
            for hop in chain.hops {
                switch hop {
                case .profile(let name): hops.append(.profile(name))
                case .origin(let address):
                    hops.append(
                        .origin(try use(address, preserveHost: chain.preserveHost, route, profile, others)))
                }
            }
            answer = .chain(hops, chain.fallback)
        }
        return RoutePlan(route, in: profile, answer, cors: cors)
    }

    private mutating func use(
        _ address: OriginAddress, preserveHost: Bool, _ route: Route, _ profile: Profile,
        _ others: [(host: String, origin: OriginName)]
    ) throws(ProxyError) -> OriginUse {
        let map = AddressMap(own: OriginName(address), others: others)
        var settings = RewriteRules.Settings()
        // An origin that is sent the client's own Host speaks of itself by that name.
        settings.addresses = preserveHost ? nil : map
        settings.rewritesAddresses = route.rewrite.addresses && !preserveHost
        settings.rewritesCookies = route.rewrite.cookies
        settings.jar = profile.cookieJar
        settings.usesJars = usesJars
        settings.removesPins = route.rewrite.pins
        settings.removesClearSiteData = route.rewrite.clearSiteData
        settings.cors = route.cors.map { CORSRules($0) }
        return OriginUse(
            index: try index(of: address, profile), preserveHost: preserveHost, rules: RewriteRules(settings),
            bodyMap: route.rewrite.bodies && !preserveHost ? map : nil,
            answeredBy: RoutePlan.answeredBy(route, in: profile))
    }

    private mutating func index(of address: OriginAddress, _ profile: Profile) throws(ProxyError) -> Int {
        if let known = indexes[address] { return known }
        if address.isTLS && contexts[address.trust] == nil {
            do throws(TLSFailure) {
                contexts[address.trust] = try ClientContext(
                    policy: address.trust.verification, alpn: OriginPlan.protocols)
            } catch {
                throw .trust(profile: profile.name, reason: error.message)
            }
        }
        origins.append(OriginPlan(address, context: address.isTLS ? contexts[address.trust] : nil))
        indexes[address] = origins.count - 1
        return origins.count - 1
    }

    /// The hosts that routes name one by one, with the origins that answer for them: the most general route's first,
    /// for it is the one a URL without a path would mean.
    private func hosts(of profile: Profile) -> [(host: String, origin: OriginName)] {
        var found: [(host: String, origin: OriginName, breadth: Int)] = []
        for (at, route) in profile.routes.enumerated() {
            guard case .exact(let host) = route.pattern.host.scope, route.pattern.host.port == nil else { continue }
            let breadth = route.pattern.path.bytes.count * profile.routes.count + at
            for address in addresses(of: route.responder, host: host) {
                found.append((host, OriginName(address), breadth))
            }
        }
        var seen: Set<String> = []
        return found.sorted { $0.breadth < $1.breadth }
            .filter { seen.insert("\($0.host) \($0.origin)").inserted }
            .map { ($0.host, $0.origin) }
    }

    private func addresses(of responder: Responder, host: String) -> [OriginAddress] {
        switch responder {
        case .mock: return []
        case .origin(let address, _): return [address]
        case .chain(let chain):
            return chain.hops.flatMap { hop -> [OriginAddress] in
                switch hop {
                case .origin(let address): return [address]
                case .profile(let name):
                    // Not any deeper: what a chain of chains leads to is not this host's usual address.
                    return library[name]?.routes.compactMap { route in
                        guard case .exact(host) = route.pattern.host.scope,
                            case .origin(let address, _) = route.responder
                        else { return nil }
                        return address
                    } ?? []
                }
            }
        }
    }
}

extension OriginName {
    init(_ address: OriginAddress) {
        self.init(isTLS: address.isTLS, host: address.host, port: address.port, basePath: address.basePath)
    }
}

extension CORSRules {
    init(_ settings: CORSSettings) {
        self.init(
            origins: settings.origins, allowsCredentials: settings.credentials, methods: settings.methods,
            headers: settings.headers, exposedHeaders: settings.exposedHeaders, maxAge: settings.maxAge)
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
