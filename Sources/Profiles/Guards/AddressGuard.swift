import Bytes

/// Watches for production behind an origin that no production profile names: behind a bare address, and behind any
/// server that gets a Host field with production's name.
///
/// Names that differ are different origins: staging and production may share a gateway, which tells them apart by name.
public final class AddressGuard: Sendable {
    /// The route that asks the origin.
    public let route: Route
    public let origin: OriginAddress
    /// The origin is an address, so that no name tells it apart from the others behind that address.
    private let isBare: Bool
    private let production: ProductionHosts

    fileprivate init(_ route: Route, _ origin: OriginAddress, isBare: Bool, _ production: ProductionHosts) {
        (self.route, self.origin, self.isBare, self.production) = (route, origin, isBare, production)
    }

    /// The hosts of production at which a request may arrive; which it does if they have the address of the origin.
    ///
    /// - Parameter host: the Host field's, without its port, where the origin gets the client's; else nil.
    public func candidates(host: String?) -> [ProductionHost] {
        if isBare { return production.others(than: origin.endpoint) }
        guard let host, let normal = normalHost(host) else { return [] }
        return production.at(OriginEndpoint(host: normal, port: origin.port)).map { [$0] } ?? []
    }
}

/// A host of production at some port.
public final class ProductionHost: Sendable {
    public let name: String
    fileprivate let endpoint: OriginEndpoint
    private let uses: [ProductionUse]

    fileprivate init?(_ endpoint: OriginEndpoint, _ uses: [ProductionUse]) {
        guard let first = uses.first else { return nil }
        name = first.origin.host
        (self.endpoint, self.uses) = (endpoint, uses)
    }

    /// The production profiles that use it.
    public var profiles: [String] { uses.map(\.profile) }

    /// The guard of requests that arrive here under another name.
    ///
    /// - Parameter cause: why they do; a clause.
    public func writeGuard(_ cause: String) -> WriteGuard {
        WriteGuard(profiles: profiles, reason: "\(cause); \(uses.first?.description ?? name)")
    }
}

/// The hosts of production at one port.
final class ProductionHosts: Sendable {
    private let hosts: [OriginEndpoint: ProductionHost]

    init(_ uses: [OriginEndpoint: [ProductionUse]]) {
        var hosts: [OriginEndpoint: ProductionHost] = [:]
        for (endpoint, uses) in uses { hosts[endpoint] = ProductionHost(endpoint, uses) }
        self.hosts = hosts
    }

    fileprivate func at(_ endpoint: OriginEndpoint) -> ProductionHost? { hosts[endpoint] }

    /// In the order of their names.
    fileprivate func others(than endpoint: OriginEndpoint) -> [ProductionHost] {
        hosts.values.filter { $0.endpoint != endpoint }.sorted { $0.name < $1.name }
    }

    fileprivate func hasOthers(than endpoint: OriginEndpoint) -> Bool { hosts.count > (hosts[endpoint] == nil ? 0 : 1) }
}

extension OriginEndpoint {
    /// It is an address, in whatever spelling, or this machine.
    fileprivate var isBare: Bool {
        host == "localhost" || parseIPv4(host.utf8) != nil || IPv6Address(Array(host.utf8)) != nil
    }
}

extension ProfileLibrary {
    /// What watches the requests of a route to one of its origins; nil where they can arrive at production only by the
    /// origin's name.
    public func addressGuard(of origin: OriginAddress, preserveHost: Bool, askedBy route: Route) -> AddressGuard? {
        guard let hosts = production.hosts(atPort: origin.port) else { return nil }
        let endpoint = origin.endpoint
        let isBare = endpoint.isBare
        guard isBare || preserveHost, hosts.hasOthers(than: endpoint) else { return nil }
        return AddressGuard(route, origin, isBare: isBare, hosts)
    }

    /// The hosts of production at a port.
    public func productionHosts(port: UInt16) -> [ProductionHost] {
        production.hosts(atPort: port)?.others(than: OriginEndpoint(host: "", port: port)) ?? []
    }
}
