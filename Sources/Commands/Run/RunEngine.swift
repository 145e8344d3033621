import Engine
import Platform
import Profiles
import Reactor
import Store
import TLS

/// The proxy of one run, in this process, on ports that the system chose.
struct RunEngine: Sendable {
    let proxy: Proxy
    /// That of all hosts, and then of each host.
    private let ports: [UInt16]

    static func start(
        _ library: ProfileLibrary, _ active: String, _ hosts: RunHosts, _ authority: DevelopmentCA,
        _ store: TrafficStore?, _ mocks: Mocks, _ network: NetworkConditions?
    ) async throws -> RunEngine {
        var configuration = Proxy.Configuration(addresses: [], identities: .development(authority))
        configuration.store = store
        configuration.breakpoints = nil
        // What a command prints is its own: only what went wrong is said beside it.
        configuration.didChangeProgram = { program in
            if program.phase == "paused" { Terminal.complain("origin \(program.origin): \(program.news)") }
        }
        configuration.mocks = mocks
        configuration.networks = Networks(run: network)
        let (proxy, ports) = try await Proxy.start(
            configuration, profiles: library, active: active, hosts: hosts.hosts,
            families: ListenAddress.list([], port: 0).map(\.family))
        return RunEngine(proxy: proxy, ports: ports)
    }

    func port(_ place: RunHosts.Place) -> UInt16 {
        switch place {
        case .main: ports[0]
        case .host(let index): ports[index + 1]
        }
    }

    /// Waits until all origins of a profile respond, whatever their status.
    func waitForOrigins(of profile: String, nanoseconds: UInt64) async throws {
        let end = Instant.now().after(nanoseconds)
        while true {
            await proxy.programs.start(of: profile)
            let failed = await proxy.probe(profile).filter { $0.failure != nil || $0.note != nil }
            guard let first = failed.first else { return }
            guard Instant.now() < end else {
                throw CommandFailure(
                    "\(failed.count == 1 ? "an origin does" : "\(failed.count) origins do") not respond within "
                        + "\(Quantity.durationText(nanoseconds)): \(first.failure?.message ?? "\(first.origin): \(first.note ?? "")")",
                    advice: "Start the origin, give it more time with --wait-time TIME, or leave --wait away.")
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Lets exchanges finish; those that take more than a second end where they are.
    func drain() async {
        let limit = Task {
            try await Task.sleep(for: .seconds(1))
            await proxy.abort()
        }
        await proxy.drain()
        limit.cancel()
    }
}
