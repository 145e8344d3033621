import Bytes

/// The origins that production profiles use: requests to one of them reach production, in any profile.
struct ProductionOrigins: Sendable {
    /// For each endpoint the first route of each profile, in the order of the profiles' names.
    private var uses: [OriginEndpoint: [ProductionUse]] = [:]
    private var hosts: [UInt16: ProductionHosts] = [:]

    init(_ profiles: [Profile]) {
        for profile in profiles where profile.kind == .production {
            for route in profile.routes {
                // A route that one production profile inherits from another counts as a use of the latter alone.
                let user = route.kind == .production ? route.profile : profile.name
                for address in route.responder.addresses {
                    let known = uses[address.endpoint, default: []]
                    guard !known.contains(where: { $0.profile == user }) else { continue }
                    uses[address.endpoint] = known + [ProductionUse(profile: user, origin: address, route: route)]
                }
            }
        }
        index()
    }

    /// The same with those that an earlier reading had and this one has not.
    func keeping(_ old: ProductionOrigins) -> ProductionOrigins {
        var kept = self
        for (endpoint, uses) in old.uses {
            let known = Set(self.uses[endpoint, default: []].map(\.profile))
            let gone = uses.filter { !known.contains($0.profile) }
            if !gone.isEmpty { kept.uses[endpoint, default: []] += gone.map(\.kept) }
        }
        kept.index()
        return kept
    }

    private mutating func index() {
        hosts = Dictionary(grouping: uses, by: \.key.port).mapValues { found in
            ProductionHosts(Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.value) }))
        }
    }

    /// The uses that an earlier reading had, in the order of their texts.
    var kept: [ProductionUse] { uses.values.joined().filter(\.isKept).sorted { $0.description < $1.description } }

    /// Whether a profile uses an origin here that it did not use there.
    func hasMore(of profile: String, than old: ProductionOrigins) -> Bool {
        uses.contains { endpoint, uses in
            uses.contains { $0.profile == profile } && old.uses[endpoint]?.contains { $0.profile == profile } != true
        }
    }

    var isEmpty: Bool { uses.isEmpty }

    /// nil if production uses no origin at that port.
    func hosts(atPort port: UInt16) -> ProductionHosts? { hosts[OriginEndpoint.canonical(port)] }

    func isUsed(_ endpoint: OriginEndpoint) -> Bool { uses[endpoint] != nil }

    func uses(of address: OriginAddress) -> [ProductionUse] { uses.isEmpty ? [] : uses[address.endpoint] ?? [] }

    /// The same for a URL as a client would follow it from a Location field; relative ones lead to none.
    func uses(ofLocation text: [UInt8], isTLS: Bool) -> [ProductionUse] {
        // As browsers read it: white space gone, backslashes for slashes, any number of them (WHATWG URL 4.4).
        let plain = FormCoding.decoded(text.filter { $0 > 0x20 && $0 != UInt8(ascii: "+") })
        let url = String(decoding: plain, as: UTF8.self).lowercased().map { $0 == "\\" ? "/" : $0 }
        let scheme = ["https:", "http:"].first { url.starts(with: $0) } ?? ""
        let rest = url.dropFirst(scheme.count)
        guard !scheme.isEmpty || rest.starts(with: "//") else { return [] }
        let authority = rest.drop { $0 == "/" }.prefix { !"/?#".contains($0) }
        let name = String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? [])
        guard let (host, port) = try? splitAuthority(name.hasSuffix(":") ? String(name.dropLast()) : name),
            let normal = try? normalizedHost(host)
        else { return [] }
        let usual: UInt16 = scheme == "https:" || scheme.isEmpty && isTLS ? 443 : 80
        return uses[OriginEndpoint(host: normal, port: port ?? usual)] ?? []
    }
}

/// Where a production profile uses an origin.
public struct ProductionUse: Sendable {
    public let profile: String
    public let origin: OriginAddress
    public let route: Route
    /// The files do not say so any more; it is so until they are read again on request.
    public var isKept = false

    var kept: ProductionUse {
        var use = self
        use.isKept = true
        return use
    }

    /// For messages: `https://a.test is an origin of the production profile production (route /*, production.json:3)`.
    public var description: String {
        "\(origin) \(isKept ? "was" : "is") an origin of the production profile \(profile) (route \(route.label), "
            + "\(route.file):\(route.line))" + (isKept ? ", and stays one until `shunt reload`" : "")
    }
}

/// Which production profiles have to be unlocked before a request may change something at an origin.
///
/// One word, since a waiting request keeps it.
public final class WriteGuard: Sendable {
    /// At least one.
    public let profiles: [String]
    /// Why it is production, if the profile's or the route's own kind does not say so.
    public let reason: String?

    init(profiles: [String], reason: String?) { (self.profiles, self.reason) = (profiles, reason) }

    /// All of several in one; nil of none.
    public convenience init?(_ guards: [WriteGuard]) {
        if guards.isEmpty { return nil }
        var seen: Set<String> = []
        self.init(
            profiles: guards.flatMap(\.profiles).filter { seen.insert($0).inserted },
            reason: guards.lazy.compactMap(\.reason).first)
    }
}

extension ProfileLibrary {
    /// Whether a production profile uses an origin.
    ///
    /// - Parameter url: scheme, host and port, as exchanges name it.
    public func isProduction(origin url: String) -> Bool {
        guard let address = try? OriginURL(parsing: url) else { return false }
        return production.isUsed(OriginEndpoint(host: address.host, port: address.port))
    }

    /// The guard of a route for all its origins; nil if none of them is production.
    ///
    /// A single origin counts by where its requests arrive; those of a chain have a guard each.
    public func writeGuard(of route: Route, in profile: Profile) -> WriteGuard? {
        let own = profile.guardedName(of: route).map { [$0] } ?? []
        guard case .origin(let address, _) = route.responder else {
            return own.isEmpty ? nil : WriteGuard(profiles: own, reason: nil)
        }
        return writeGuard(own, production.uses(of: address))
    }

    /// The guard of one origin of a chain, beside the guard of its route.
    public func writeGuard(of address: OriginAddress, askedBy route: Route, in profile: Profile) -> WriteGuard? {
        let own = profile.guardedName(of: route)
        return writeGuard([], production.uses(of: address).filter { $0.profile != own })
    }

    /// The check of redirects of a route's origins; nil if there is no production profile.
    public func redirectGuard(of route: Route) -> RedirectGuard? {
        production.isEmpty ? nil : RedirectGuard(production: production, guards: route.guards)
    }

    private func writeGuard(_ own: [String], _ uses: [ProductionUse]) -> WriteGuard? {
        let others = uses.filter { !own.contains($0.profile) }
        let profiles = own + others.map(\.profile)
        return profiles.isEmpty ? nil : WriteGuard(profiles: profiles, reason: others.first?.description)
    }

    /// The production profiles at whose origins a profile's requests may arrive, itself among them.
    ///
    /// Those of other profiles that its chains ask count, too.
    public func productionProfiles(reachedBy profile: Profile) -> [String] {
        var found: [String] = []
        var asked = [profile]
        var next = 0
        while next < asked.count {
            let profile = asked[next]
            next += 1
            for route in profile.routes {
                let guards =
                    [writeGuard(of: route, in: profile)]
                    + route.responder.addresses.map { writeGuard(of: $0, askedBy: route, in: profile) }
                for name in guards.flatMap({ $0?.profiles ?? [] }) where !found.contains(name) { found.append(name) }
                guard case .chain(let chain) = route.responder else { continue }
                for case .profile(let name) in chain.candidates {
                    guard let other = self[name], !asked.contains(where: { $0 === other }) else { continue }
                    asked.append(other)
                }
            }
        }
        return found
    }

    /// Origins that a route of another kind shares with a production profile, each once where it is written.
    public var sharedOrigins: [SharedOrigin] {
        var seen: Set<String> = []
        return profiles.filter { $0.kind != .production }.flatMap { profile in
            profile.routes.filter { $0.kind != .production }.flatMap { route in
                route.responder.addresses.compactMap { address in
                    guard let use = production.uses(of: address).first,
                        seen.insert("\(route.file):\(route.line) \(address)").inserted
                    else { return nil }
                    return SharedOrigin(profile: profile.name, route: route, origin: address, use: use)
                }
            }
        }
    }
}

/// Finds redirects that lead a client to production, past Shunt and its guard.
public final class RedirectGuard: Sendable {
    private let production: ProductionOrigins
    public let guards: GuardSettings

    init(production: ProductionOrigins, guards: GuardSettings) { (self.production, self.guards) = (production, guards) }

    /// The production profiles that use the origin which a Location field names.
    ///
    /// - Parameter isTLS: how the client reached Shunt, which a location without a scheme goes on with.
    public func profiles(at location: [UInt8], isTLS: Bool) -> [String] {
        production.uses(ofLocation: location, isTLS: isTLS).map(\.profile)
    }
}

/// An origin that is production for a profile of another kind, too.
public struct SharedOrigin: Sendable {
    public let profile: String
    public let route: Route
    public let origin: OriginAddress
    public let use: ProductionUse

    /// A sentence without its full stop.
    public var description: String { "\(origin) is production's, too, and read-only: \(use.description)" }
}

extension ResponderSettings {
    /// The origins that are asked directly, without those of other profiles.
    package var addresses: [OriginAddress] {
        switch self {
        case .local: []
        case .origin(let address, _): [address]
        case .chain(let chain):
            chain.candidates.compactMap { if case .origin(let address) = $0 { address } else { nil } }
        }
    }
}
