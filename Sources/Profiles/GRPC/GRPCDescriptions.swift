import Bytes
public import Protobuf

/// What mocks of gRPC calls say of themselves to clients that ask (gRPC server reflection), by host.
public struct GRPCDescriptions: Sendable {
    public struct Description: Sendable {
        /// That of a mock, for every path of its host.
        public let route: Route
        public let catalog: ReflectionCatalog
        /// The trailers of a call for descriptions where no mock has a schema; nil where one has.
        public let trailers: [UInt8]?
    }

    public let all: [Description]
    public let selection: RouteSelection

    /// Nil where no route is a mock of a call, and where a route is for that question itself.
    ///
    /// - Parameter routes: in the order in which they are tried.
    public init?(_ routes: [Route]) {
        let paths = ReflectionQuestion.paths.map { Array($0.utf8) }
        let isAnswered = routes.contains { route in
            // A path with fewer segments is meant for other requests, too.
            route.pattern.path.literalBeginning.starts(with: "/\(ReflectionQuestion.package)".utf8)
        }
        guard !isAnswered else { return nil }
        // A server that is asked for its messages can be asked by clients, too.
        let servers = routes.filter { route in
            route.grpc?.reflection != nil && !route.responder.addresses.isEmpty
                && paths.contains { route.pattern.path.matches($0) }
        }
        var hosts: [HostPattern] = []
        var calls: [HostPattern: [(route: Route, calls: [MockCall])]] = [:]
        for route in routes {
            guard case .local(let mock as Mock) = route.responder else { continue }
            let own = mock.responses.compactMap { if case .call(let call) = $0.body { call } else { nil } }
            let host = route.pattern.host
            guard !own.isEmpty, !servers.contains(where: { $0.pattern.host == host || $0.pattern.host == .any })
            else { continue }
            if calls[host] == nil { hosts.append(host) }
            calls[host, default: []].append((route, own))
        }
        guard !hosts.isEmpty else { return nil }
        all = hosts.map { Description(calls[$0] ?? [], of: $0) }
        selection = RouteSelection(levels: [all.indices], patterns: all.map(\.route.pattern))
    }
}

extension GRPCDescriptions.Description {
    fileprivate init(_ mocks: [(route: Route, calls: [MockCall])], of host: HostPattern) {
        let calls = mocks.flatMap(\.calls)
        let known = calls.filter { !$0.method.service.isEmpty }
        trailers = known.isEmpty ? calls.first?.trailers : nil
        // Routes share what they name alike.
        var seen: Set<ObjectIdentifier> = []
        let settings = mocks.compactMap(\.route.grpc).filter { seen.insert(ObjectIdentifier($0)).inserted }
        catalog = ReflectionCatalog(settings.map(\.schema), services: Set(known.map(\.method.service)).sorted())
        route = mocks[0].route.describing(host)
    }
}

extension Route {
    /// A route for all paths of a host, as which Shunt itself responds.
    fileprivate func describing(_ host: HostPattern) -> Route {
        var settings = settings
        settings.pattern = RoutePattern(host: host, path: .any, methods: [], fields: [])
        (settings.first, settings.name, settings.then, settings.faults, settings.network) = (nil, nil, nil, [], nil)
        (settings.changes, settings.contractUse) = (nil, nil)
        return Route(
            settings, label: "gRPC reflection", responder: responder, at: place, offline: nil, client: client,
            trustRules: [])
    }
}
