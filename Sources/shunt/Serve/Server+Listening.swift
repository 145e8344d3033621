import Admin
import Engine
import JSON
import Profiles
import Reactor

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Server {
    /// Lets devices stay paired from run to run, and gives them pages unless those are switched off.
    static func add(_ file: DeviceFile, to configuration: inout Proxy.Configuration, _ settings: ServeSettings) {
        let announcer = settings.announcer
        let devices = Devices(restoring: file.read())
        file.follow(devices) { failure in
            announcer.warn("problem", "devices do not stay paired after a restart: \(failure)") {
                $0.member("message", "\(failure)")
            }
        }
        configuration.devices = devices
        guard settings.hasPages else { return }
        configuration.pages = DevicePages(devices: devices, locks: configuration.locks) { announcer.tell($0) }
    }
}

// Getting hold of ports, for the proxy and for its admin interface.
extension Server {
    /// Another Shunt mostly holds the default port; since commands read the address from a file, any other will do.
    static func startAdmin(
        _ settings: ServeSettings, _ proxy: Proxy, _ facts: AdminFacts, _ actions: AdminActions
    ) async throws(CommandFailure) -> AdminServer {
        let token = AdminToken.random()
        let port = settings.adminPort ?? ServeSettings.defaultAdminPort
        do throws(ProxyError) {
            return try await AdminServer(port: port, token: token, for: proxy, facts: facts, actions: actions)
        } catch {
            guard settings.adminPort == nil, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE else {
                throw .starting(error, option: "--admin-port")
            }
        }
        do throws(ProxyError) {
            return try await AdminServer(port: 0, token: token, for: proxy, facts: facts, actions: actions)
        } catch {
            throw .starting(error, option: "--admin-port")
        }
    }

    static func listen(
        _ settings: ServeSettings, _ library: ProfileLibrary, _ active: String, _ configuration: Proxy.Configuration
    ) async throws(CommandFailure) -> Proxy {
        var configuration = configuration
        var attempts = settings.port == 0 ? 10 : 1
        while true {
            attempts -= 1
            do throws(SystemError) {
                let port = settings.port == 0 ? try ListenAddress.freePort(settings.hosts) : settings.port
                configuration.addresses = ListenAddress.list(settings.hosts, port: port)
            } catch {
                throw .starting(.system(error), option: "--port")
            }
            do throws(ProxyError) {
                return try await Proxy.start(configuration, profiles: library, active: active)
            } catch {
                // Somebody was faster at the port that was free a moment ago.
                if attempts > 0, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE { continue }
                throw .starting(error, option: "--port")
            }
        }
    }
}
