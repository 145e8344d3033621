import Platform
public import Profiles
public import Reactor

extension Proxy {
    /// Starts on ports that the system chooses: one for all hosts, and one for each of some hosts.
    ///
    /// - Parameter families: the loopback addresses that each port is opened at.
    /// - Returns: the proxy with its ports, the one for all hosts first.
    public static func start(
        _ configuration: Configuration, profiles library: ProfileLibrary, active: String, hosts: [NamedHost],
        families: [SocketAddress.Family] = [.ipv4]
    ) async throws(ProxyError) -> (proxy: Proxy, ports: [UInt16]) {
        var attempts = 20
        while true {
            attempts -= 1
            var configuration = configuration
            // Several workers would bind a port in two steps, between which another process could take it.
            configuration.workers = 1
            let ports: [UInt16]
            do throws(SystemError) { ports = try freePorts(hosts.count + 1) } catch { throw .system(error) }
            configuration.addresses = ports.flatMap { port in families.map { .loopback($0, port: port) } }
            configuration.hosts = HostPorts(Dictionary(uniqueKeysWithValues: zip(ports.dropFirst(), hosts)))
            do throws(ProxyError) {
                return (try await start(configuration, profiles: library, active: active), ports)
            } catch {
                // Another process has taken a port that was free a moment ago.
                guard attempts > 0, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE else {
                    throw error
                }
            }
        }
    }

    /// Different ones, held at once while they are chosen.
    private static func freePorts(_ count: Int) throws(SystemError) -> [UInt16] {
        var listeners: [Listener] = []
        for _ in 0..<count { listeners.append(try Listener(.loopback(.ipv4, port: 0), sharing: false)) }
        return listeners.map(\.address.port)
    }
}
