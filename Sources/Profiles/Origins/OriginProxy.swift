import JSON

/// The proxy by which the origins of a route are reached, instead of the one that the environment names.
public enum OriginProxy: Hashable, Sendable, CustomStringConvertible {
    /// None.
    case direct
    case server(Server)

    /// A proxy that is asked for connections.
    public struct Server: Hashable, Sendable {
        public enum Kind: String, Sendable { case http, socks5 }

        public let kind: Kind
        /// Normalised.
        public let host: String
        public let port: UInt16
        /// The environment variable with `USER:PASSWORD`; nil for none.
        public let credentialsVariable: String?
    }

    public var description: String {
        switch self {
        case .direct: "direct"
        case .server(let server):
            "\(server.kind.rawValue)://\(server.host.contains(":") ? "[\(server.host)]" : server.host):\(server.port)"
        }
    }
}

extension OriginProxy {
    /// The environment variable with its credentials; nil for none.
    public var credentialsVariable: String? {
        if case .server(let server) = self { server.credentialsVariable } else { nil }
    }

    /// In words.
    public var text: String { description + (credentialsVariable.map { ", with the credentials in $\($0)" } ?? "") }
}

/// Decodes the proxy of a route; nil without one, and after a report.
func decodeOriginProxy(_ fields: Fields) -> OriginProxy? {
    guard let value = fields["proxy"] else { return nil }
    if let text = value.string { return proxy(text, nil, value.position, fields.reporter) }
    guard value.object != nil else {
        fields.wrongKind("proxy", value)
        return nil
    }
    guard let parts = Fields(value, OriginProxy.keys, fields.reporter) else { return nil }
    let variable = parts.string("credentialsVariable")
    if let variable, !isVariableName(variable), let member = parts.member("credentialsVariable") {
        // Not repeated: it may be a password.
        return fields.refuse(
            member.value, "\"credentialsVariable\" is no name of an environment variable",
            expected: "a name like \"CORP_PROXY\"", hint: "the variable itself holds USER:PASSWORD")
    }
    guard let url = parts["url"] else {
        return fields.refuse(value, "a proxy without \"url\"", expected: "it like \"http://proxy.corp.example:3128\"")
    }
    guard let text = parts.string("url") else { return nil }
    return proxy(text, variable, url.position, fields.reporter)
}

func isVariableName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.first.map { $0 &- 0x30 >= 10 } == true
        && text.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_") }
}

private func proxy(_ text: String, _ variable: String?, _ place: JSONPosition, _ reporter: Reporter) -> OriginProxy? {
    if text == "direct", variable == nil { return .direct }
    return reporter.attempt(place) { () throws(Refusal) in
        .server(try OriginProxy.Server(parsing: text, credentialsVariable: variable))
    }
}

extension OriginProxy.Server {
    private static let form = "a URL like http://proxy.corp.example:3128 or socks5://localhost:1080, or \"direct\""

    fileprivate init(parsing text: String, credentialsVariable: String?) throws(Refusal) {
        // First of all: no other message may repeat a password.
        guard !text.contains("@") else {
            throw Refusal(
                message: "the proxy's URL has a user or a password", expected: Self.form,
                hint: "put USER:PASSWORD into an environment variable and name it: { \"url\": …, "
                    + "\"credentialsVariable\": \"CORP_PROXY\" }")
        }
        guard let mark = text.range(of: "://") else {
            throw Refusal(
                message: "the proxy \"\(text)\" has no scheme", expected: Self.form, hint: "write \"http://\(text)\"")
        }
        switch text[..<mark.lowerBound].lowercased() {
        case "http": kind = .http
        case "socks5", "socks5h": kind = .socks5
        case let scheme:
            throw Refusal(message: "the proxy \"\(text)\" has the scheme \"\(scheme)\"", expected: Self.form)
        }
        var authority = text[mark.upperBound...]
        if authority.last == "/" { authority.removeLast() }
        guard !authority.contains(where: { "/?#*".contains($0) }) else {
            throw Refusal(message: "the proxy \"\(text)\" is more than a host and a port", expected: Self.form)
        }
        let (name, port) = try splitAuthority(authority)
        host = try normalizedHost(name)
        self.port = port ?? (kind == .http ? 3128 : 1080)
        self.credentialsVariable = credentialsVariable
    }
}
