import Bytes

/// A safe request that a route responds to, made from its pattern.
package struct MockedRequest: Sendable {
    /// Values for the parts that the pattern leaves open.
    package struct Values: Sendable {
        /// The path with or without a query; nil for the pattern's own.
        package var path: String?
        /// Sent with every request; `Host` counts for routes that name no host.
        package var fields: [(name: String, value: String)]
        /// The authority for routes that name no host.
        package var authority: String

        package init(path: String?, fields: [(name: String, value: String)], authority: String) {
            (self.path, self.fields, self.authority) = (path, fields, authority)
        }
    }

    /// Why there is no such request, in words.
    package struct Obstacle: Error {
        package let reason: String
        /// Another path, or a query, would mend it.
        package var isOfPath = false
    }

    package let method: String
    package let authority: String
    /// Path and query.
    package private(set) var target: String
    package private(set) var fields: [(name: String, value: String)]
    private var states: [String: String] = [:]

    package var url: String { "http://\(authority)\(target)" }

    /// - Parameter index: of the route in ``Profile/routes``.
    package init(routeAt index: Int, of profile: Profile, _ values: Values) throws(Obstacle) {
        let pattern = profile.routes[index].pattern
        if case .local(let mock as Mock) = profile.routes[index].responder {
            if mock.responses.contains(where: \.body.isWebSocket) {
                throw Obstacle(reason: "it is a WebSocket, and only responses are compared")
            }
            if mock.responses.contains(where: \.body.isCollection) {
                throw Obstacle(reason: "it is a collection, whose responses follow from earlier requests")
            }
        }
        if case .local(let mock as Mock) = profile.routes[index].responder,
            mock.responses.contains(where: \.body.isCall)
        {
            throw Obstacle(reason: "it is a gRPC call, and only GET and HEAD are sent")
        }
        method = try Self.method(pattern)
        authority = try Self.authority(pattern.host, values)
        target = try Self.path(pattern.path, values)
        fields = values.fields.filter { $0.name.lowercased() != "host" }
        for field in pattern.fields {
            let name = String(decoding: field.name, as: UTF8.self)
            try meet(name, field.value.map { .equals(String(decoding: $0, as: UTF8.self)) } ?? .present)
        }
        for condition in pattern.conditions { try meet(condition) }
        try checkSafety()
        try check(index, profile)
    }

    /// Fields that frame a request, or concern one connection.
    package static let framing: Set<String> = [
        "content-length", "transfer-encoding", "connection", "upgrade", "expect", "te", "trailer", "keep-alive",
        "proxy-connection", "http2-settings",
    ]

    private var parts: (path: [UInt8], query: [UInt8]) {
        let bytes = Array(target.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        return (Array(bytes[..<mark]), Array(bytes[mark...].dropFirst()))
    }

    /// Whether its query may be a mutation at the origins of a route.
    package func isGraphQL(at route: Route) -> Bool {
        let (path, query) = parts
        return !query.isEmpty && (route.guards.isGraphQL || route.responder.isGraphQL(path))
    }

    /// A safe method is not enough: servers take some requests for others.
    private func checkSafety() throws(Obstacle) {
        if let field = fields.first(where: { Self.framing.contains($0.name.lowercased()) }) {
            throw Obstacle(reason: "the header \(field.name) cannot be sent: Shunt writes such fields itself")
        }
        let overrides =
            fields.flatMap { MethodOverride.methods(named: Array($0.name.utf8), value: Array($0.value.utf8)) }
            + MethodOverride.methods(inQuery: parts.query)
        if let other = overrides.first {
            throw Obstacle(reason: "a server may take the request for \(other), and only GET and HEAD are sent")
        }
    }

    private static func method(_ pattern: RoutePattern) throws(Obstacle) -> String {
        if pattern.methods.isEmpty { return "GET" }
        guard let method = ["GET", "HEAD"].first(where: pattern.methods.contains) else {
            let methods = pattern.methods.joined(separator: " and ")
            throw Obstacle(reason: "it is for \(methods), and only GET and HEAD are sent")
        }
        return method
    }

    private static func authority(_ host: HostPattern, _ values: Values) throws(Obstacle) -> String {
        if case .exact(let name) = host.scope {
            return (name.contains(":") ? "[\(name)]" : name) + (host.port.map { ":\($0)" } ?? "")
        }
        if let given = values.fields.first(where: { $0.name.lowercased() == "host" }) { return given.value }
        if host == .any { return values.authority }
        throw Obstacle(reason: "its host is \(host): give one with -H 'Host: NAME'")
    }

    private static func path(_ path: PathPattern, _ values: Values) throws(Obstacle) -> String {
        if let given = values.path { return given }
        guard !path.isPrefix, !path.bytes.contains(PathPattern.star) else {
            throw Obstacle(reason: "its path is the pattern \(path)", isOfPath: true)
        }
        return String(decoding: path.bytes, as: UTF8.self)
    }

    // MARK: Conditions

    private mutating func meet(_ condition: RequestCondition) throws(Obstacle) {
        switch condition.subject {
        case .query(let name): try meet(query: name, condition.test)
        case .header(let name): try meet(name, condition.test)
        case .cookie(let name): try meet(cookie: name, condition.test)
        case .member, .body, .call: throw Obstacle(reason: "it looks into the body, and \(method) has none")
        case .state(let scenario): if case .equals(let state) = condition.test { states[scenario] = state }
        }
    }

    private mutating func meet(query name: String, _ test: RequestCondition.Test) throws(Obstacle) {
        let found = RequestValues.parameters(parts.query, named: name)
        if case .equals(let value) = test, !found.contains(value) {
            target +=
                (target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + FormCoding.encoded(name) + "="
                + FormCoding.encoded(value)
        }
        try check(found, test, "a query parameter \(name)")
    }

    private mutating func meet(_ name: String, _ test: RequestCondition.Test) throws(Obstacle) {
        let name = name.lowercased()
        let found = fields.filter { $0.name.lowercased() == name }.map(\.value)
        switch test {
        case .equals(let value):
            fields.removeAll { $0.name.lowercased() == name }
            fields.append((name, value))
        case .absent: fields.removeAll { $0.name.lowercased() == name }
        default: try check(found, test, "a header \(name)", hint: "-H '\(name): VALUE'")
        }
    }

    private mutating func meet(cookie name: String, _ test: RequestCondition.Test) throws(Obstacle) {
        let sent = fields.filter { $0.name.lowercased() == "cookie" }.map(\.value)
        let found = RequestValues.cookies(sent, named: name)
        switch test {
        case .equals(let value):
            guard !found.contains(value) else { return }
            fields.removeAll { $0.name.lowercased() == "cookie" }
            fields.append(("cookie", (sent + ["\(name)=\(value)"]).joined(separator: "; ")))
        case .absent: if !found.isEmpty { fields.removeAll { $0.name.lowercased() == "cookie" } }
        default: try check(found, test, "a cookie \(name)", hint: "-H 'Cookie: \(name)=VALUE'")
        }
    }

    /// Throws where a value is needed that nothing can be made of.
    ///
    /// - Parameter hint: the option that gives one; nil where a path does.
    private func check(
        _ found: [String], _ test: RequestCondition.Test, _ what: String, hint: String? = nil
    ) throws(Obstacle) {
        var needed = what
        switch test {
        case .present where found.isEmpty: break
        case .matches(let pattern) where !found.contains(where: pattern.isFound):
            needed += " that matches \(pattern.text)"
        default: return
        }
        throw Obstacle(
            reason: "it needs \(needed)" + (hint.map { ": give one with \($0)" } ?? ""), isOfPath: hint == nil)
    }

    // MARK: Who responds

    /// Another route may come first.
    private func check(_ index: Int, _ profile: Profile) throws(Obstacle) {
        let explanation: Explanation
        do throws(Refusal) { explanation = try explained(by: profile) } catch {
            throw Obstacle(reason: error.message)
        }
        switch explanation.outcome {
        case .withResponse(let response) where response.index == index: return
        case .withResponse(let response):
            let route = response.route
            throw Obstacle(
                reason: "another route responds to \(method) \(url): \(route.name ?? route.label), "
                    + "\(route.file):\(route.line)")
        case .withoutRoute: return
        case .withoutResponse(let nearest):
            let route = profile.routes[index]
            let miss = nearest.first { $0.route.file == route.file && $0.route.line == route.line }
            throw Obstacle(reason: "it does not match \(method) \(url)" + (miss.map { ": \($0.reason)" } ?? ""))
        }
    }

    /// Who responds to it in a profile, when its scenarios are in the states that the route requires.
    ///
    /// - Parameter selection: the routes that are on; nil for all.
    package func explained(
        by profile: Profile, among selection: RouteSelection? = nil
    ) throws(Refusal) -> Explanation {
        try profile.explain(url: url, method: method, headers: fields, states: states, among: selection)
    }
}
