import Engine
import Platform
import Profiles
import Reactor

/// How `serve` is a proxy for clients whose base URL stays as it is, and which proxies are on its own way.
struct ForwardOptions: Sendable {
    var forward: ForwardProxy? = ForwardProxy()
    var next = NextProxies()

    static let options = [
        Option.flag(
            "no-proxy", "Refuse clients that use Shunt as their proxy: CONNECT, SOCKS, requests for other hosts."),
        .value(
            "intercept", "PATTERN", repeatable: true, default: "hosts that the profile's routes name",
            "As a proxy, also decrypt connections to these hosts: HOST, '*.DOMAIN' or '*'. May be given several "
                + "times."),
        .value(
            "proxy-user", "USER:PASSWORD|@FILE", default: "none",
            "The credentials that clients of the proxy must send, or a file with them."),
        .flag("no-next-proxy", "Reach origins directly, whatever HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say."),
    ].map { $0.under("Proxy") }

    /// - Parameter port: of Shunt itself, which cannot be the proxy on its own way.
    static func read(_ arguments: Arguments, _ environment: ProcessEnvironment, port: UInt16) throws -> ForwardOptions {
        var options = ForwardOptions()
        if !arguments.has("no-next-proxy") { options.next = try next(environment, port: port) }
        if arguments.has("no-proxy") {
            guard arguments.texts("intercept").isEmpty, !arguments.has("proxy-user") else {
                throw UsageError(
                    "--no-proxy excludes --intercept and --proxy-user", advice: "Leave --no-proxy out, or the others.")
            }
            options.forward = nil
            return options
        }
        for text in arguments.texts("intercept") {
            let pattern = try ClientHostPattern(text, of: "intercept")
            options.forward?.intercepted.append(pattern)
        }
        options.forward?.credentials = try arguments.text("proxy-user").map(credentials)
        return options
    }

    private static func credentials(_ given: String) throws -> ProxyCredentials {
        var text = given
        if given.hasPrefix("@") {
            let file = Path.absolute(String(given.dropFirst()))
            try UsageError.of("--proxy-user: \(file) cannot be read") {
                text = String(decoding: try Files.read(file), as: UTF8.self)
            }
            if text.hasSuffix("\n") { text.removeLast() }
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw UsageError("--proxy-user has no user and password", advice: "Write them as USER:PASSWORD.")
        }
        return ProxyCredentials(user: String(parts[0]), password: String(parts[1]))
    }

    private static func next(_ environment: ProcessEnvironment, port: UInt16) throws -> NextProxies {
        var next = NextProxies()
        // As curl: HTTP_PROXY counts in lower case alone, since a CGI program's client could set it.
        next.https = try server(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], environment, port)
        next.http = try server(["http_proxy", "all_proxy", "ALL_PROXY"], environment, port)
        let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        next.exceptions = exceptions.split { $0 == "," || $0 == " " }.map(String.init)
        return next
    }

    private static func server(
        _ names: [String], _ environment: ProcessEnvironment, _ port: UInt16
    ) throws -> NextProxies.Server? {
        for name in names {
            guard let text = environment[name], !text.isEmpty else { continue }
            guard let server = NextProxies.Server(text) else {
                throw UsageError(
                    "\(name) in the environment is no proxy that Shunt can use",
                    advice: "It takes http://[USER:PASSWORD@]HOST:PORT and socks5://HOST:PORT. "
                        + "To reach origins directly: --no-next-proxy.")
            }
            // A shell with `shunt proxy env` names the Shunt that is about to start.
            return server.port == port && isThisMachine(server.host) ? nil : server
        }
        return nil
    }

    /// Whether a host is this machine by any spelling or name: a Shunt that had itself as its proxy would ask itself
    /// without end.
    private static func isThisMachine(_ host: String) -> Bool {
        if NamedHost(host: host, port: nil).isLoopback { return true }
        guard case .success(let found) = Resolver.askSystem(host) else { return false }
        let own = NetworkInterface.all().map(\.address.bytes)
        return found.map(\.carried).contains { address in
            address.isLoopback || address.bytes.allSatisfy { $0 == 0 } || own.contains(address.bytes)
        }
    }
}

extension ClientHostPattern {
    /// - Parameter option: the one that has the text.
    init(_ text: String, of option: String) throws {
        self = try UsageError.of("--\(option) “\(text)”") { try ClientHostPattern(text) }
    }
}
