import HTTP
import Profiles

/// Responds with the proxy auto-configuration file: hosts that the active profile's routes name go through Shunt, all
/// others do not.
final class ProxyScriptResponder: Responder {
    private static let path: StaticString = "/__shunt/proxy.pac"

    func isUsed(by shared: Proxy.Shared) -> Bool { shared.forward != nil }

    func claims(_ exchange: ClientExchange) -> Bool {
        guard exchange.request.head.targetForm == .origin else { return false }
        let path = exchange.request.head.path
        guard path.count == Self.path.utf8CodeUnitCount,
            exchange.headBytes.extracting(path).starts(with: Self.path)
        else { return false }
        return HostAdmission(request: exchange.request, state: exchange.state).isKnown
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        let plan = try RouteChoice(exchange: exchange).profile()
        let authority = try Self.authority(exchange)
        let text = ProxyScript(proxy: authority, profile: plan.profile, forward: exchange.state.forward).text
        await exchange.respond(
            LocalResponse(
                200,
                // Pages of other origins could load it as a script, and read the hosts in it.
                "Content-Type: application/x-ns-proxy-autoconfig\r\nCache-Control: no-store\r\n"
                    + "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n", text))
    }

    /// Shunt's address as the client has named it, which becomes part of a script.
    private static func authority(_ exchange: ClientExchange) throws(EngineFailure) -> String {
        let head = exchange.request.head
        let text = exchange.request.text(head.host)
        guard let host = normalHost(text), let port = head.port else {
            throw EngineFailure(
                .client, .route, status: 400, "the proxy's script is for a host and a port",
                advice: "Ask for it by Shunt's own address: `shunt proxy pac` prints it.")
        }
        return ForwardTarget(host: host, port: port).authority
    }
}

/// The text of a proxy auto-configuration file.
struct ProxyScript {
    let proxy: String
    let profile: Profile
    let forward: ForwardProxy?

    var text: String {
        // Patterns consist of letters, digits, dots, hyphens and underscores alone.
        let patterns = profile.hostPatterns + (forward?.intercepted ?? []).map(\.host)
        let exact = Set(patterns.filter { !$0.hasPrefix("*") })
        let domains = Set(patterns.filter { $0.hasPrefix("*.") }.map { $0.dropFirst() })
        var conditions = exact.sorted().map { "host == \"\($0)\"" }
        conditions += domains.sorted().map { "dnsDomainIs(host, \"\($0)\")" }
        if patterns.contains("*") { conditions = ["true"] }
        let condition = conditions.isEmpty ? "false" : conditions.joined(separator: " ||\n      ")
        return """
            // Hosts of Shunt's profile \(profile.name); all others are reached directly.
            function FindProxyForURL(url, host) {
              host = host.toLowerCase();
              if (\(condition)) {
                return "PROXY \(proxy)";
              }
              return "DIRECT";
            }

            """
    }
}
