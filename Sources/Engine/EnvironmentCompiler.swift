import HTTP
import Profiles
import Push
import Reactor
import Redaction
import Rewriting
import TLS

/// Compiles profiles for the data path, each origin once.
struct EnvironmentCompiler {
    private let library: ProfileLibrary
    private let usesJars: Bool
    let mocks: Mocks
    let contexts: TrustContexts
    /// Folders of files, by path.
    private(set) var folders: [String: Folder] = [:]
    /// Where responses of routes are kept.
    private(set) var keptGroups: Set<KeptResponses.Group> = []
    private let earlier: Environment?
    /// Nothing of it is known until an origin asks: routes of sessions seldom have one.
    private lazy var earlierOrigins: [OriginAddress: OriginPlan] = Dictionary(
        (earlier?.origins ?? []).compactMap { plan in plan.map { ($0.address, $0) } },
        uniquingKeysWith: { first, _ in first })
    /// Indexes that origins of the earlier environment do not have.
    private var freeIndexes: [Int]
    private var plans: [OriginAddress: OriginPlan] = [:]
    /// By name of the profile.
    private var plainOrigins: [String: [String: [OriginAddress]]] = [:]
    /// By name of the profile.
    private var redactors: [String: Redactor] = [:]
    private(set) var origins: [OriginPlan?] = []
    /// Of the profile that is compiled now.
    private var token: TokenUse?
    private var owner: OriginUse.Owner?
    /// Each server once for each way to judge and to reach it.
    private(set) var reflections: [ReflectionPlan] = []
    private(set) var tokens: Set<TokenSettings> = []
    private var book = AddressBook(origins: [], hosts: [])

    /// The origins of gateways to APNs.
    private lazy var pushOrigins = Set(
        library.profiles.flatMap(\.routes).filter { $0.first is PushSettings }.flatMap(\.responder.addresses))

    init(_ library: ProfileLibrary, _ mocks: Mocks, after earlier: Environment?) {
        self.mocks = mocks
        self.earlier = earlier
        let origins = earlier?.origins ?? []
        freeIndexes = origins.indices.filter { origins[$0] == nil }
        contexts = TrustContexts(after: earlier?.contexts)
        self.library = library
        usesJars = library.profiles.contains { $0.cookieJar != nil }
    }

    mutating func plan(_ profile: Profile) throws(ProxyError) -> ProfilePlan {
        book = addressBook(of: profile)
        token = try tokenUse(profile)
        owner = library.profiles.count > 1 ? OriginUse.Owner(profile.name) : nil
        let scenarios = mocks.scenarios(of: profile)
        var routes: [RoutePlan] = []
        for route in profile.routes {
            routes.append(try plan(route, in: profile, scenarios))
            if let reflection = try ReflectionPlan(route, in: profile, scenarios, &self),
                !reflections.contains(where: { $0.address == reflection.address })
            {
                reflections.append(reflection)
            }
        }
        return ProfilePlan(
            profile, routes, secrets(of: profile), mocks.switches.selection(of: profile),
            scenarios, token, try DescriptionPlans(profile.routes, in: profile, &self))
    }

    /// The routes of a session over a profile, whose token and secrets they share.
    mutating func plan(
        _ overlay: Profile, over base: ProfilePlan, _ scenarios: Scenarios
    ) throws(ProxyError) -> ProfilePlan {
        if overlay.routes.contains(where: { !$0.responder.addresses.isEmpty }) { book = addressBook(of: base.profile) }
        (token, owner) = (base.token, library.profiles.count > 1 ? OriginUse.Owner(base.profile.name) : nil)
        var routes: [RoutePlan] = []
        for route in overlay.routes { routes.append(try plan(route, in: overlay, scenarios)) }
        // A session has mocks of its own and the mocks of its profile.
        let hasCalls = GRPCDescriptions(overlay.routes) != nil
        let all = overlay.routes + base.profile.routes
        return ProfilePlan(
            overlay, routes, base.redaction, overlay.allRoutes, scenarios, token,
            hasCalls ? try DescriptionPlans(all, in: overlay, &self) : nil)
    }

    private mutating func tokenUse(_ profile: Profile) throws(ProxyError) -> TokenUse? {
        guard let settings = profile.token else { return nil }
        tokens.insert(settings)
        let kept = mocks.tokens.token(settings)
        guard case .oauth(let grant) = settings.source else { return TokenUse(kept, endpoint: nil) }
        do throws(TLSFailure) {
            let context = grant.endpoint.isTLS ? try contexts.context(grant.endpoint.trust) : nil
            return TokenUse(kept, endpoint: OriginPlan(grant.endpoint, context: context))
        } catch {
            throw .trust(profile: profile.name, reason: error.message)
        }
    }

    /// What one route does.
    mutating func plan(
        _ route: Route, in profile: Profile, _ scenarios: Scenarios
    ) throws(ProxyError) -> RoutePlan {
        var responders: [any Responder] = []
        for kind in Responders.ofRoutes {
            if let responder = try kind.make(for: route, in: profile, &self) { responders.append(responder) }
        }
        let guarded = library.writeGuard(of: route, in: profile)
        var wrappers: [any Wrapper] = []
        for wrapper in route.wrappers(isGuarded: guarded != nil) {
            switch wrapper {
            case .keep: if let plan = keeping(route, profile, responders) { wrappers.append(plan) }
            case .fault: wrappers.append(FaultPlan(route, in: profile, mocks))
            case .edit: if let changes = route.changes { wrappers.append(RouteEdits(changes, of: route)) }
            case .guard: if let guarded { wrappers.append(RouteGuard(guarded, of: route)) }
            case .count: wrappers.append(RouteEffects(record: record(of: route), route.then, scenarios))
            }
        }
        return RoutePlan(route, in: profile, responders: responders, wrappers: wrappers, guarded: guarded)
    }

    /// How good responses of a route are kept.
    private mutating func keeping(
        _ route: Route, _ profile: Profile, _ responders: [any Responder]
    ) -> KeepingPlan? {
        guard let settings = route.offline else { return nil }
        let redactor: Redactor
        if let known = redactors[profile.name] {
            redactor = known
        } else {
            // Digests are not compared, so that any key will do.
            redactor = Redactor(
                key: [UInt8](repeating: 0, count: 32), rules: secrets(of: profile)?.rules ?? RedactionRules())
            redactors[profile.name] = redactor
        }
        let plan = KeepingPlan(settings, of: route, in: profile, responders, redactor)
        keptGroups.insert(KeptResponses.Group(profile: profile.name, maxSize: plan.settings.maxSize))
        return plan
    }

    /// What is kept of a mock from one reading of the profiles to the next; nil where an origin responds.
    func record(of route: Route) -> MockRecord? { route.mockKey.map { mocks.record(of: $0, shape: MockShape(route)) } }

    /// The rules for secrets of a profile; nil without any.
    func secrets(of profile: Profile) -> ProfileRedaction? { ProfileRedaction(of: profile, in: library) }

    /// Makes an origin ready for one route's use.
    mutating func use(
        of address: OriginAddress, preserveHost: Bool, by route: Route, in profile: Profile
    ) throws(ProxyError) -> OriginUse {
        let map = preserveHost ? nil : AddressMap(own: OriginName(address), in: book)
        // A single origin has the guard of its route.
        var guarded: WriteGuard?
        if case .chain = route.responder { guarded = library.writeGuard(of: address, askedBy: route, in: profile) }
        let watch = library.addressGuard(of: address, preserveHost: preserveHost, askedBy: route)
        let origin = try origin(address, profile)
        return OriginUse(
            origin, of: route, names(at: origin, preserveHost: preserveHost, map, of: route, in: profile),
            OriginUse.Guards(
                guardian: OriginGuard(guarded, watch, at: address, of: route, preserveHost: preserveHost),
                redirects: library.redirectGuard(of: route)),
            OriginUse.Credentials(
                token: profile.token(of: route) == nil ? nil : token,
                teacher: token.flatMap { $0.token.isFetched ? nil : $0 }, owner: owner,
                signer: (route.first as? PushSettings)?.signer.map { mocks.signers.shared($0) }),
            answeredBy: RoutePlan.answeredBy(route, in: profile))
    }

    /// Makes the origin of a user's machine ready to respond in place of what a route names.
    mutating func use(of attached: OriginPlan, inPlaceOf plan: RoutePlan, more: String) -> OriginUse {
        let (route, profile) = (plan.route, plan.profile)
        let (address, preserveHost) = (attached.address, route.preservesHost)
        let own = OriginName(address)
        let map = preserveHost ? nil : AddressMap(own: own, in: addressBook(of: profile, and: own))
        let watch = preserveHost ? library.addressGuard(of: address, preserveHost: true, askedBy: route) : nil
        return OriginUse(
            attached, of: route, names(at: attached, preserveHost: preserveHost, map, of: route, in: profile),
            OriginUse.Guards(
                guardian: OriginGuard(nil, watch, at: address, of: route, preserveHost: preserveHost),
                redirects: library.redirectGuard(of: route)),
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: more))
    }

    /// What a route rewrites for one of its origins.
    ///
    /// - Parameter map: nil for an origin that gets the client's own Host, which it uses in its responses.
    private func names(
        at origin: OriginPlan, preserveHost: Bool, _ map: AddressMap?, of route: Route, in profile: Profile
    ) -> OriginUse.Names {
        var settings = rewriting(of: route, in: profile)
        settings.addresses = map
        if map == nil { settings.rewritesAddresses = false }
        return OriginUse.Names(
            preserveHost: preserveHost, rules: RewriteRules(settings), bodyMap: route.rewrite.bodies ? map : nil,
            secureNames: secureNames(of: route, origin.address, settings),
            cache: CacheRules(route, in: profile, origin: origin))
    }

    /// nil where an origin gets no Host of the client, or that by TLS.
    private func secureNames(
        of route: Route, _ address: OriginAddress, _ settings: RewriteRules.Settings
    ) -> SecureNames? {
        guard settings.addresses == nil, !address.isTLS, route.rewrite.addresses else { return nil }
        return SecureNames(settings, rewritesBodies: route.rewrite.bodies)
    }

    /// What a route rewrites in heads, without the addresses of an origin.
    func rewriting(of route: Route, in profile: Profile) -> RewriteRules.Settings {
        var settings = RewriteRules.Settings()
        settings.rewritesAddresses = route.rewrite.addresses
        settings.rewritesCookies = route.rewrite.cookies
        settings.jar = profile.cookieJar
        settings.usesJars = usesJars
        settings.removesPins = route.rewrite.pins
        settings.removesClearSiteData = route.rewrite.clearSiteData
        settings.cors = route.cors.map { CORSRules($0) }
        return settings
    }

    private mutating func origin(_ address: OriginAddress, _ profile: Profile) throws(ProxyError) -> OriginPlan {
        if let known = plans[address] { return known }
        let context: ClientContext?
        do throws(TLSFailure) {
            context = address.isTLS ? try contexts.context(address.trust) : nil
        } catch {
            throw .trust(profile: profile.name, reason: error.message)
        }
        let (isPush, way) = (pushOrigins.contains(address), try OriginWay(address.proxy, in: profile.name))
        let program = OriginProgram.Key(address).map {
            mocks.programs.program($0, secrets(of: profile)?.rules ?? RedactionRules())
        }
        let origin: OriginPlan
        if let old = earlierOrigins[address], old.context === context, old.isPush == isPush, old.way == way,
            old.program === program
        {
            origin = old
        } else {
            let index = freeIndexes.popLast() ?? max(origins.count, earlier?.origins.count ?? 0)
            origin = OriginPlan(
                address, context: context, index: index, isPush: isPush, way: way,
                server: program.map { .program($0) } ?? .running)
        }
        plans[address] = origin
        while origins.count <= origin.index { origins.append(nil) }
        origins[origin.index] = origin
        return origin
    }

    /// A folder of files, with what it has open.
    mutating func folder(_ path: String) -> Folder {
        let folder = folders[path] ?? earlier?.folders[path] ?? Folder(path)
        folders[path] = folder
        return folder
    }

    /// The origins of a profile's routes, and the hosts that routes name one by one with the origins that respond for
    /// them: the most general route's first, since a URL without a path means that one.
    private mutating func addressBook(of profile: Profile, and more: OriginName? = nil) -> AddressBook {
        var hosts: [(host: String, origin: OriginName, breadth: Int)] = []
        var origins = more.map { [$0] } ?? []
        for (at, route) in profile.routes.enumerated() {
            let own = route.responder.addresses.map { OriginName($0) }
            origins += own
            guard let host = route.exactHost else { continue }
            let breadth = route.settings.pattern.path.bytes.count * profile.routes.count + at
            for name in names(of: route.responder, own, host: host) { hosts.append((host, name, breadth)) }
        }
        var seen: Set<NamedOrigin> = []
        return AddressBook(
            origins: origins,
            hosts: hosts.sorted { $0.breadth < $1.breadth }
                .filter { seen.insert(NamedOrigin(host: $0.host, origin: $0.origin)).inserted }
                .map { ($0.host, $0.origin) })
    }

    private struct NamedOrigin: Hashable {
        let host: String
        let origin: OriginName
    }

    /// The origins that respond for a host.
    /// - Parameter own: those that the responder itself names.
    private mutating func names(
        of responder: ResponderSettings, _ own: [OriginName], host: String
    ) -> [OriginName] {
        guard case .chain(let chain) = responder else { return own }
        var found: [OriginName] = []
        for candidate in chain.candidates {
            switch candidate {
            case .origin(let address): found.append(OriginName(address))
            // No deeper: the origin of a chain within a chain is not this host's usual address.
            case .profile(let name): found += (plainOrigins(of: name)[host] ?? []).map { OriginName($0) }
            }
        }
        return found
    }

    /// The origins of a profile's routes with one origin and an exact host, by host.
    private mutating func plainOrigins(of name: String) -> [String: [OriginAddress]] {
        if let known = plainOrigins[name] { return known }
        var found: [String: [OriginAddress]] = [:]
        for route in library[name]?.routes ?? [] {
            if let host = route.exactHost, case .origin(let address, _) = route.responder {
                found[host, default: []].append(address)
            }
        }
        plainOrigins[name] = found
        return found
    }
}

extension Route {
    /// The host of a pattern that names one, and no port.
    fileprivate var exactHost: String? {
        guard case .exact(let host) = settings.pattern.host.scope, settings.pattern.host.port == nil else { return nil }
        return host
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
