import Engine
import Exchanges
import Profiles
import Reactor
import Synchronization
import TLS
import TestSupport

/// A proxy in this process, in front of whatever a test provides.
struct Harness {
    let proxy: Proxy
    let log: Log
    var port: UInt16 { proxy.addresses[0].port }

    /// Remembers what passed.
    final class Log: ExchangeObserver {
        private let ended = Mutex<[Exchange]>([])
        func exchangeEnded(_ exchange: Exchange) { ended.withLock { $0.append(exchange) } }
        var exchanges: [Exchange] { ended.withLock { $0 } }
    }

    /// Starts a proxy whose only profile sends everything to one origin, and waits for clients that send no more.
    static func start(to port: UInt16, limits: Limits = Limits(), time: VirtualClock? = nil) async throws -> Harness {
        try await start(
            profiles: ["only": origin("http://127.0.0.1:\(port)", more: #", "halfClose": true"#)], active: "only",
            limits: limits, time: time)
    }

    static func start(
        profiles: [String: String], active: String, limits: Limits = Limits(), identities: Identities? = nil,
        workers: Int = 1, isObserved: Bool = true, clock: (@Sendable () -> Int64)? = nil,
        time: VirtualClock? = nil, forward: ForwardProxy? = nil, next: NextProxies = NextProxies(),
        resolver: Resolver = Resolver(), address: SocketAddress = .loopback(.ipv4, port: 0),
        tracing: TraceSampling? = nil, hostsFile: String = "/etc/hosts", allowedHosts: [ClientHostPattern] = [],
        attachments: Attachments = Attachments(node: nil)
    ) async throws -> Harness {
        let log = Log()
        var configuration = Proxy.Configuration(addresses: [address])
        configuration.forward = forward
        configuration.next = next
        configuration.resolver = resolver
        configuration.tracing = tracing
        configuration.hostsFile = hostsFile
        configuration.allowedHosts = allowedHosts
        configuration.attachments = attachments
        configuration.limits = limits
        configuration.observer = isObserved ? log : nil
        configuration.identities = identities
        configuration.workers = workers
        if let clock { configuration.clock = clock }
        if let time { configuration.loopClock = { time.now } }
        let proxy = try await Proxy.start(configuration, profiles: try library(profiles), active: active)
        return Harness(proxy: proxy, log: log)
    }

    static func library(_ profiles: [String: String]) throws -> ProfileLibrary {
        try ProfileLibrary.load(files: profiles.map { (path: "Profiles/\($0.key).json", bytes: Array($0.value.utf8)) })
    }

    /// A profile that sends everything to one URL.
    static func origin(_ url: String, kind: String = "local", more: String = "") -> String {
        #"{"kind": "\#(kind)", "routes": [{"origin": "\#(url)"}]\#(more)}"#
    }

    /// Ends the proxy, whatever is still under way.
    func stop() async {
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }
}

extension Proxy {
    /// Lets time pass for a proxy that was started with a clock of the test's own.
    func advance(_ time: VirtualClock, by seconds: Double) {
        time.advance(by: seconds)
        // Its loops sleep until they are asked something.
        Task { _ = await status() }
    }
}

/// Limits so short that a test can wait for them.
func shortLimits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits()
    change(&limits)
    return limits
}
