import Engine
import Platform
import Profiles
import Reactor
import Store
import TLS

/// The proxy of one run, in this process, on ports that the system chose.
struct RunEngine: Sendable {
    let proxy: Proxy
    private let ports: [RunHosts.Place: UInt16]

    /// One worker: several would bind a port in two steps, between which another run could take it.
    static func start(
        _ library: ProfileLibrary, _ active: String, _ hosts: RunHosts, _ authority: DevelopmentCA,
        _ store: TrafficStore?
    ) async throws(CommandFailure) -> RunEngine {
        var attempts = 20
        while true {
            attempts -= 1
            var configuration = Proxy.Configuration(addresses: [], identities: .development(authority))
            configuration.store = store
            var ports: [RunHosts.Place: UInt16] = [:]
            let places = [.main] + hosts.hosts.indices.map { RunHosts.Place.host($0) }
            do throws(SystemError) {
                for place in places {
                    let port = try ListenAddress.freePort([])
                    // What was free and let go of may come again.
                    guard !ports.values.contains(port) else { throw SystemError("bind", code: EADDRINUSE) }
                    ports[place] = port
                    configuration.addresses += ListenAddress.list([], port: port)
                }
            } catch {
                if attempts > 0, error.code == EADDRINUSE { continue }
                throw .starting(.system(error), option: "--port")
            }
            let named = hosts.hosts.enumerated().compactMap { index, host in ports[.host(index)].map { ($0, host) } }
            configuration.hosts = HostPorts(Dictionary(uniqueKeysWithValues: named))
            do throws(ProxyError) {
                let proxy = try await Proxy.start(configuration, profiles: library, active: active)
                return RunEngine(proxy: proxy, ports: ports)
            } catch {
                if attempts > 0, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE { continue }
                throw .starting(error, option: "--port")
            }
        }
    }

    func port(_ place: RunHosts.Place) -> UInt16 { ports[place] ?? 0 }

    /// Waits until all origins of a profile respond, whatever their status.
    func waitForOrigins(of profile: String, nanoseconds: UInt64) async throws(CommandFailure) {
        let end = Instant.now().after(nanoseconds)
        while true {
            let failed = await proxy.probe(profile).filter { $0.failure != nil }
            guard let first = failed.first else { return }
            guard Instant.now() < end else {
                throw .failed(
                    "\(failed.count == 1 ? "an origin does" : "\(failed.count) origins do") not respond within "
                        + "\(Quantity.durationText(nanoseconds)): \(first.failure?.message ?? "\(first.origin)")",
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
