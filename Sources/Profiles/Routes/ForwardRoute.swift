// Requests of a forward proxy's clients for hosts that no route names.
extension Profile {
    /// Whether a route names a host as it stands or by a domain; routes for every host name none.
    ///
    /// - Parameter host: normalised.
    public func names(host: String, port: UInt16) -> Bool {
        let named = hostPatternSet
        return HostPattern.covering(host: host).contains { scope in
            scope != .any
                && (named.contains(HostPattern(scope: scope, port: nil))
                    || named.contains(HostPattern(scope: scope, port: port)))
        }
    }

    /// The route of a request to the host that it names itself, with nothing changed on its way.
    ///
    /// The host's trust rule counts, unless it is an exception with an end: nothing ends it here.
    /// - Parameters:
    ///   - verified: what takes the place of a rule that verifies nothing, for a host that is production; nil for
    ///     others.
    ///   - label: of the route.
    public func forwarding(
        isTLS: Bool, host: String, port: UInt16, verified: TrustPolicy?, label: String = "forward"
    ) -> Route {
        let rule = isTLS ? forwardTrust(host: host, port: port, isProduction: verified != nil) : nil
        let address = OriginAddress(
            isTLS: isTLS, host: host, port: port, basePath: "",
            trust: isTLS
                ? rule.map { trust[$0].policy } ?? verified ?? trustWithoutRule : .default(certificateAuthorities: []))
        // It is the same server in every environment.
        var client = ClientSettings()
        client.cache = .asIs
        var settings = RouteSettings(
            pattern: RoutePattern(
                host: HostPattern(scope: .exact(host), port: port), path: .any, methods: [], fields: []))
        (settings.rewrite, settings.relay) = (.none, .ofForwarded)
        return Route(
            settings, label: label, responder: .origin(address, preserveHost: true),
            at: Route.Place(profile: name, kind: kind, file: file, line: 1), offline: nil, client: client,
            trustRules: [rule])
    }

    /// The index of the rule for a host.
    private func forwardTrust(host: String, port: UInt16, isProduction: Bool) -> Int? {
        trustIndex.rule(host: host, port: port).flatMap { index in
            trust[index].policy.isUnverified && (trust[index].until != nil || isProduction) ? nil : index
        }
    }
}

extension ProfileLibrary {
    /// The guard of a forwarded request, which goes by where it arrives alone; nil if that is not production.
    public func forwardGuard(host: String, port: UInt16) -> WriteGuard? {
        let uses = production.uses(of: OriginAddress.plain(host: host, port: port))
        return uses.isEmpty ? nil : WriteGuard(profiles: uses.map(\.profile), reason: uses.first?.description)
    }
}

extension ProfileLibrary {
    /// How a production profile verifies an origin, without the certificate that it shows there; nil where none uses it
    /// over TLS.
    public func productionTrust(host: String, port: UInt16) -> TrustPolicy? {
        let use = production.uses(of: OriginAddress.plain(host: host, port: port)).first { $0.origin.isTLS }
        return use.map {
            let trust = $0.origin.trust
            return TrustPolicy(
                trust.evaluator, certificateAuthorities: trust.certificateAuthorities,
                connection: TLSSettings(isStrict: trust.connection.isStrict))
        }
    }
}

extension OriginAddress {
    /// An address by host and port alone.
    public static func plain(host: String, port: UInt16) -> OriginAddress {
        OriginAddress(isTLS: false, host: host, port: port, basePath: "", trust: .default(certificateAuthorities: []))
    }
}

/// Hosts as clients name them: one, those of a domain, or all.
public struct ClientHostPattern: Hashable, Sendable, CustomStringConvertible {
    private let pattern: HostPattern

    /// Reads `api.shop.test`, `*.shop.test` or `*`, with or without a port.
    public init(_ text: String) throws(Refusal) { pattern = try HostPattern(parsing: text, allowsLoopback: false) }

    public func covers(host: String, port: UInt16) -> Bool { pattern.covers(host: host, port: port) }

    public var description: String { pattern.description }
}

/// A host in the spelling that profiles are normalised to; nil if it is none.
public func normalHost(_ text: String) -> String? { try? normalizedHost(text) }

extension Profile {
    /// The hosts that routes name, each once: `api.shop.test`, `*.shop.test`.
    public var hostPatterns: [String] {
        var found: [String] = []
        for route in routes {
            let host: String
            switch route.pattern.host.scope {
            case .exact(let name): host = name
            case .below(let name): host = "*.\(name)"
            case .loopback, .network, .any: continue
            }
            if !found.contains(host) { found.append(host) }
        }
        return found
    }
}

extension ClientHostPattern {
    /// Without its port.
    public var host: String { HostPattern(scope: pattern.scope, port: nil).description }
}

extension NamedHost {
    /// It is a name or an address of this machine's loopback.
    public var isLoopback: Bool { Profiles.isLoopback(host) }
}
