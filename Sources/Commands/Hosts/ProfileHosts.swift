import Platform
import Profiles
import Reactor

/// The hosts that the routes of profiles name, and what becomes of each in a hosts file.
struct ProfileHosts {
    /// Those that a line can name, each once.
    private(set) var hosts: [String] = []
    /// The others, with the reason.
    private(set) var left: [(host: String, reason: String)] = []

    init(_ profiles: [Profile]) {
        let origins = Set(profiles.flatMap { $0.routes.flatMap { $0.responder.addresses.map(\.host) } })
        for route in profiles.flatMap(\.routes) {
            switch route.pattern.host.scope {
            case .exact(let host) where host == "localhost" || host.hasSuffix(".localhost"): continue
            case .exact(let host) where SocketAddress(literal: host, port: 0) != nil: continue
            case .exact(let host) where origins.contains(host):
                leave(host, "is an origin, too: Shunt would reach itself instead")
            case .exact(let host): if !hosts.contains(host) { hosts.append(host) }
            case .below(let parent):
                leave("*.\(parent)", "a hosts file has no wildcards; a route with a full name helps")
            case .any, .loopback, .network: continue
            }
        }
    }

    private mutating func leave(_ host: String, _ reason: String) {
        if !left.contains(where: { $0.host == host }) { left.append((host, reason)) }
    }

    /// How a name of multicast DNS is published, which other machines find, too; nil for other names.
    static func publishing(_ host: String) -> String? {
        guard host.hasSuffix(".local") else { return nil }
        let own = NetworkInterface.all().first { !$0.isVirtual && $0.address.family == .ipv4 }?.address.host
        let address = own ?? "ADDRESS"
        let command: String
        if ToolCommand.isThere("dns-sd") {
            command = "dns-sd -P Shunt _http._tcp local 4884 \(host) \(address)"
        } else if ToolCommand.isThere("avahi-publish"), Files.exists("/run/avahi-daemon/socket") {
            command = "avahi-publish -a -R \(host) \(address)"
        } else {
            return "other machines find it only through Avahi, which does not run here"
        }
        return "other machines find it while this runs: \(command)"
    }
}
