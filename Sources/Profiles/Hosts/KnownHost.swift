import Bytes

extension ProfileLibrary {
    /// Whether a request's host leads here on purpose: an address, a name that no stranger can register, or one that
    /// some profile names.
    ///
    /// Any other name may belong to a stranger, who can point it at this machine (DNS rebinding).
    public func isKnown(host text: String) -> Bool {
        guard let host = try? normalizedHost(text) else { return false }
        let label = environmentLabel(of: ContiguousArray(host.utf8).span)?.length ?? 0
        let name = String(host.dropFirst(label))
        return !canBeRegistered(name) || knownHosts.covers(name)
    }
}

/// The hosts that profiles name: those of routes, of origins, and under `allowedHosts`.
struct KnownHosts: Sendable {
    private var names: Set<String> = []
    /// Each with all names below it.
    private var domains: Set<String> = []
    private var isAny = false

    init(_ profiles: [Profile]) {
        for profile in profiles {
            for route in profile.routes {
                if route.pattern.host.scope != .any { add(route.pattern.host) }
                for address in route.responder.addresses { names.insert(address.host) }
            }
            for host in profile.allowedHosts { add(host) }
        }
    }

    private mutating func add(_ pattern: HostPattern) {
        switch pattern.scope {
        case .exact(let host): names.insert(host)
        case .below(let domain): domains.insert(domain)
        case .any: isAny = true
        case .loopback, .network: break
        }
    }

    /// - Parameter host: normalised.
    func covers(_ host: String) -> Bool {
        if isAny || names.contains(host) { return true }
        var rest = host[...]
        while !domains.isEmpty, let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if domains.contains(String(rest)) { return true }
        }
        return false
    }
}

/// Domains that are never delegated on the public internet: special use by RFC 6761, 6762 (with its appendix G) and
/// 8375, `internal` as reserved by ICANN, and what routers, companies and Kubernetes use beside them.
private let closed = [
    "localhost", "test", "local", "internal", "home.arpa", "lan", "home", "corp", "intranet", "private", "localdomain",
    "svc",
]

/// Whether a normalised host is a name that anyone could register, so no address either.
private func canBeRegistered(_ host: String) -> Bool {
    if host.contains(":") { return false }
    guard let dot = host.lastIndex(of: ".") else { return false }
    let top = host[host.index(after: dot)...]
    // Top-level domains are letters alone, or in Punycode. Others are addresses, or names of container networks.
    guard top.hasPrefix("xn--") || top.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return false }
    return !closed.contains { host.hasSuffix("." + $0) }
}

/// Decodes `allowedHosts`.
func decodeAllowedHosts(_ fields: Fields) -> [HostPattern] {
    let one = "a host like \"preview.shop.example\" or \"*.shop.example\""
    return fields.texts("allowedHosts", one: one).compactMap { item in
        fields.reporter.attempt(item.place) { () throws(Refusal) in
            let pattern = try HostPattern(parsing: item.text, allowsLoopback: false)
            guard pattern.port == nil else {
                throw Refusal(
                    message: "\"\(item.text)\" has a port", expected: one, hint: "a host counts at every port")
            }
            return pattern
        }
    }
}
