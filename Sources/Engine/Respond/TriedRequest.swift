import Bytes
package import Profiles
import Reactor

/// A request that is tried, as people name it.
package struct TriedRequest: Sendable {
    let method: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    let bytes: [UInt8]
    /// It comes over TLS.
    let isSecure: Bool

    /// - Parameters:
    ///   - url: as ``Explanation/url`` has it; one of a WebSocket asks for one.
    ///   - profile: the one that the request names itself.
    package init(
        _ method: String, _ url: String, version: String = "1.1", headers: [(name: String, value: String)],
        body: [UInt8] = [], profile: String? = nil
    ) {
        (self.method, self.headers, self.body) = (method, headers, body)
        let (scheme, rest) =
            url.firstRange(of: "://").map { (url[..<$0.lowerBound], url[$0.upperBound...]) } ?? ("https", url[...])
        let authority = rest.prefix { !"/?".contains($0) }
        let target = rest.dropFirst(authority.count)
        var head =
            "\(method) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/\(authority.isEmpty ? "1.0" : version)\r\n"
        func add(_ name: String, _ value: some StringProtocol) {
            guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
            head += "\(name): \(value)\r\n"
        }
        if !authority.isEmpty { add("Host", authority) }
        if let profile { head += "Shunt-Profile: \(profile)\r\n" }
        add("Accept", "text/html, */*")
        if scheme.hasPrefix("ws") || headers.contains(where: { $0.name.lowercased() == "upgrade" }) {
            add("Connection", "Upgrade")
            add("Upgrade", "websocket")
        }
        if !body.isEmpty {
            add("Content-Type", "application/json")
            add("Content-Length", "\(body.count)")
        }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        bytes = Array((head + "\r\n").utf8) + body
        isSecure = scheme != "http" && scheme != "ws"
    }
}

/// A Shunt that a request is tried with: one that runs, or as it would begin.
package struct TriedShunt: Sendable {
    let active: ActiveEnvironment
    var configuration: Proxy.Configuration
    private(set) var peer: SocketAddress?

    /// As it would begin, but for what is known of one that runs.
    package init(
        _ library: ProfileLibrary, active: String, live: [String: LiveProfile] = [:],
        allowedHosts: [ClientHostPattern] = []
    ) throws(ProxyError) {
        let mocks = Mocks()
        for (name, live) in live {
            let keys = library[name].map { profile in live.off.compactMap { profile.routes[$0].mockKey } } ?? []
            mocks.change { $0.off.formUnion(keys) }
        }
        self.active = ActiveEnvironment(try Environment(library, active: active, mocks), mocks)
        for (name, live) in live { mocks.scenarios(named: name)?.set(live.states) }
        configuration = Proxy.Configuration(addresses: [])
        configuration.allowedHosts = allowedHosts
    }

    /// One that runs: what it has switched counts, and nothing is recorded.
    fileprivate init(_ active: ActiveEnvironment, _ running: Proxy.Configuration) {
        self.active = active
        configuration = Proxy.Configuration(addresses: [])
        configuration.allowedHosts = running.allowedHosts
        configuration.pages = running.pages
        configuration.clock = running.clock
        configuration.hostsFile = running.hostsFile
    }

    /// Requests come from a device with a profile of its own.
    package func serving(_ device: String, profile: String?) -> TriedShunt {
        // What it is known by makes no difference to its routes: an address is the least that can be made up.
        let address = SocketAddress(literal: "10.0.0.1", port: 0)
        var served = self
        served.peer = address
        served.configuration.devices = Devices(restoring: [
            Device(name: device, address: address, token: nil, profile: profile, lastSeen: 0)
        ])
        return served
    }
}

extension Proxy {
    /// What a request is tried with; nil for a proxy without profiles.
    package var tried: TriedShunt? {
        guard case .profiles(let active) = source else { return nil }
        return TriedShunt(active, shared.configuration)
    }

    /// Hosts that clients may use in addition to the hosts of profiles (`--allow-host`).
    package var allowedHosts: [ClientHostPattern] { shared.configuration.allowedHosts }
}
