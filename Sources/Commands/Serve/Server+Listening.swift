import Admin
import Cluster
import Engine
import JSON
import Platform
import Profiles
import Reactor

extension Server {
    /// Lets devices stay paired from run to run, and says where their pages are unless those are switched off.
    static func add(
        _ file: DeviceFile, _ signpost: PageSignpost, to configuration: inout Proxy.Configuration,
        _ settings: ServeSettings
    ) {
        let announcer = settings.announcer
        let devices = Devices(restoring: file.read(), choices: file.readChoices(), apps: file.readApps())
        file.follow(devices) { failure in
            announcer.warn(
                .problem, "devices do not stay paired after a restart: \(failure)",
                ["message": "\(failure)"])
        }
        configuration.devices = devices
        if settings.hasPages { configuration.pages = signpost }
    }
}

// Getting hold of ports, for the proxy, for the pages of devices and for the admin interface.
extension Server {
    /// The pages listen where the proxy does, on a port of their own; nil where they are switched off.
    static func startPages(
        _ settings: ServeSettings, _ certificates: ServerCertificates, _ proxy: Proxy, _ cluster: ClusterMember?,
        _ audit: AuditLog
    ) async throws -> PageServer? {
        guard settings.hasPages else { return nil }
        var usual = settings.port == 0 || settings.port > UInt16.max - 2 ? 0 : settings.port + 2
        // The admin interface comes later, and has been promised this one.
        if usual == settings.adminPort { usual = 0 }
        let wanted = settings.pagesPort ?? usual
        var attempts = 10
        while true {
            attempts -= 1
            let isUsual = attempts == 9 && wanted != 0
            let port: UInt16
            do throws(SystemError) { port = isUsual ? wanted : try ListenAddress.freePort(settings.hosts) } catch {
                throw CommandFailure(ProxyError.system(error), option: "--pages-port")
            }
            do throws(ProxyError) {
                return try await PageServer(
                    addresses: ListenAddress.list(settings.hosts, port: port), identities: certificates.identities,
                    for: proxy, cluster: cluster
                ) { [announcer = settings.announcer] event in
                    // A change of a cluster is told of when it is taken over.
                    if cluster == nil { announcer.tell(event) }
                    announcer.write(event, audit)
                }
            } catch {
                let isFixed = isUsual && settings.pagesPort != nil
                if attempts > 0, !isFixed, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE {
                    continue
                }
                throw CommandFailure(error, option: "--pages-port")
            }
        }
    }

    /// Another Shunt mostly holds the default port; since commands read the address from a file, any other will do.
    static func startAdmin(
        _ settings: ServeSettings, _ proxy: Proxy, _ facts: AdminFacts, _ actions: AdminActions
    ) async throws -> AdminServer {
        let token = AdminToken.random()
        var port = settings.adminPort ?? ServeSettings.defaultAdminPort
        while true {
            do throws(ProxyError) {
                return try await AdminServer(port: port, token: token, for: proxy, facts: facts, actions: actions)
            } catch {
                guard settings.adminPort == nil, port != 0, case .cannotListen(_, let reason) = error,
                    reason.code == EADDRINUSE
                else { throw CommandFailure(error, option: "--admin-port") }
                port = 0
            }
        }
    }

    static func listen(
        _ settings: ServeSettings, _ library: ProfileLibrary, _ active: String, _ configuration: Proxy.Configuration
    ) async throws -> Proxy {
        var configuration = configuration
        var attempts = settings.port == 0 ? 10 : 1
        while true {
            attempts -= 1
            do throws(SystemError) {
                let port = settings.port == 0 ? try ListenAddress.freePort(settings.hosts) : settings.port
                configuration.addresses = ListenAddress.list(settings.hosts, port: port)
            } catch {
                throw CommandFailure(ProxyError.system(error), option: "--port")
            }
            do throws(ProxyError) {
                return try await Proxy.start(configuration, profiles: library, active: active)
            } catch {
                // Another process has taken the port that was free a moment ago.
                if attempts > 0, case .cannotListen(_, let reason) = error, reason.code == EADDRINUSE { continue }
                throw CommandFailure(error, option: "--port")
            }
        }
    }
}
