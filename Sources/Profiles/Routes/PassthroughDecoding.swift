import JSON

/// Decodes `"tls": "passthrough"`, which leaves a host's connections unread.
///
/// A connection is chosen by the host in its first TLS message alone, so that nothing else can stand in the route.
func decodePassthrough(_ fields: Fields, _ host: HostPattern?, _ response: RouteSource.Response?) -> Bool {
    guard let member = fields.member("tls") else { return false }
    let reporter = fields.reporter
    guard member.value.string == "passthrough" else {
        reporter.report(
            member.value, "\"tls\" is not \"passthrough\"", expected: "\"passthrough\", or no \"tls\"",
            hint: "\"minTLS\" and \"ciphers\" stand in a rule under \"trust\"")
        return false
    }
    for other in fields.members
    where !["tls", "host", "origin"].contains(other.key) && fields.expected(of: other.key) != nil {
        reporter.report(
            other, "\"\(other.key)\" beside \"tls\": \"passthrough\"",
            expected: "only \"host\" and \"origin\" beside it",
            hint: "what passes through is not read, so nothing can depend on it and nothing in it can be changed")
    }
    if let host {
        guard case .exact(let name) = host.scope, host.port == nil, isName(name) else {
            reporter.report(
                fields.member("host")?.value.position ?? fields.place,
                "connections of \(host) cannot pass through: clients name one host, without a port, when they begin TLS",
                expected: "a whole host name, such as \"bank.shop.test\"")
            return false
        }
    }
    switch response {
    case .origin(let url, _)? where !url.isTLS:
        reporter.report(
            fields.member("origin")?.value, "\(url.host) is reached without TLS, which is what passes through",
            expected: "an origin with https://")
    case .origin(let url, _)? where !url.basePath.isEmpty:
        reporter.report(
            fields.member("origin")?.value, "the origin has the path \(url.basePath), and no path is read",
            expected: "scheme, host and port alone")
    case .origin(let url, _)? where url.program != nil:
        reporter.report(
            fields.member("origin")?.value, "a command starts the origin, and connections pass through unread",
            expected: "an origin's URL alone")
    case .chain?:
        reporter.report(
            fields.member("origin")?.value, "several origins where connections pass through", expected: "one origin")
    case .origin?, .local?, nil: break
    }
    return true
}

/// Addresses are not sent as SNI (RFC 6066 3).
private func isName(_ host: String) -> Bool { !host.contains(":") && parseIPv4(host.utf8) == nil }

/// Reports routes that nothing can reach, since the connections of their host pass through.
func checkPassthrough(_ routes: [RouteSource], _ reporter: Reporter) {
    for through in routes where through.isPassthrough {
        for route in routes where route !== through && route.pattern.host.scope == through.pattern.host.scope {
            reporter.report(
                route.place,
                "the route \(route.pattern.label) reads requests of a host whose connections pass through, by the route "
                    + "on line \(through.place.line)",
                expected: "one of them")
        }
    }
}

extension Profile {
    /// Connections of some host pass through.
    public var passesThrough: Bool { routes.contains { $0.isPassthrough } }
}
