import Engine
import Expectations
import Inspection
import Platform
import Profiles
import Reactor
import Store
import Synchronization
import TLS

/// A Shunt in this process, for one test: ports of its own, and the traffic of this test alone.
public final class Shunt: Sendable {
    @TaskLocal static var bound: Shunt?

    /// That of the test that runs, which has the trait ``ShuntTrait``.
    public static var current: Shunt {
        guard let bound else {
            preconditionFailure(
                "there is no Shunt here: give the test or its suite the trait .shunt(profile: \"local\")")
        }
        return bound
    }

    private struct State {
        var mocks: [String] = []
        var ports: [NamedHost: UInt16] = [:]
    }

    private let proxy: Proxy
    private let store: TrafficStore
    private let folder: String
    private let source: ProfilesSource
    private let mainPort: UInt16
    private let state: Mutex<State>

    private init(
        _ proxy: Proxy, _ store: TrafficStore, _ folder: String, _ source: ProfilesSource, _ mainPort: UInt16,
        _ ports: [NamedHost: UInt16]
    ) {
        (self.proxy, self.store, self.folder, self.source) = (proxy, store, folder, source)
        self.mainPort = mainPort
        state = Mutex(State(ports: ports))
    }

    // MARK: Life

    /// One for a program that is no test, with profiles by name; its owner stops it.
    package static func start(profile: String = "local", texts: [String: String]) async throws(ShuntFailure) -> Shunt {
        try await start(profile, .texts(texts))
    }

    static func start(_ profile: String, _ source: ProfilesSource) async throws(ShuntFailure) -> Shunt {
        let library = try source.load(nil)
        guard library[profile] != nil else {
            let names = library.profiles.map(\.name).joined(separator: ", ")
            throw ShuntFailure(description: "there is no profile \"\(profile)\"; there are: \(names)")
        }
        // The hosts of all profiles: a test may switch.
        var hosts: [NamedHost] = []
        for host in library.profiles.flatMap(\.namedHosts) where !hosts.contains(host) { hosts.append(host) }
        let folder: String
        do throws(FileFailure) { folder = try Files.makeTemporaryDirectory(named: "shunt-test") } catch {
            throw ShuntFailure(description: "\(error)")
        }
        do {
            var settings = StoreSettings()
            settings.decode()
            settings.redact()
            settings.whenFull = .wait
            settings.gathering = 1
            let store = try TrafficStore.open(folder + "/traffic.db", settings)
            var configuration = Proxy.Configuration(
                addresses: [], identities: .development(try TestAuthority.shared.get()))
            configuration.store = store
            let (proxy, ports) = try await Proxy.start(configuration, profiles: library, active: profile, hosts: hosts)
            return Shunt(
                proxy, store, folder, source, ports[0],
                Dictionary(uniqueKeysWithValues: zip(hosts, ports.dropFirst())))
        } catch {
            Files.remove(folder)
            throw ShuntFailure(description: "Shunt cannot start: \(error)")
        }
    }

    package func stop() async {
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
        store.finish()
        Files.remove(folder)
    }

    // MARK: Addresses

    /// The URL at which this Shunt stands for all hosts.
    public var url: String { "http://127.0.0.1:\(mainPort)" }

    /// The URL at which it stands for a host that a route of the profiles names.
    ///
    /// Plain HTTP by default, which every client can use; `https` needs ``authority``.
    /// - Parameter host: with its port where that is not the scheme's.
    public func url(for host: String, scheme: String = "http") throws(ShuntFailure) -> String {
        guard let wanted = BaseURL("\(scheme)://\(host)") else {
            throw ShuntFailure(description: "“\(scheme)://\(host)” is no URL with http or https and a host")
        }
        let ports = state.withLock { $0.ports }
        guard let port = ports[wanted.named] else {
            let names = ports.keys.map(\.authority).sorted().joined(separator: ", ")
            throw ShuntFailure(description: "no route names the host \(host); routes are for: \(names)")
        }
        return "\(scheme)://127.0.0.1:\(port)"
    }

    /// The certificate authority of all tests of this process, as PEM text.
    public var authority: String { get throws(ShuntFailure) { try Self.certificate() } }

    private static func certificate() throws(ShuntFailure) -> String {
        do throws(TLSFailure) { return try TestAuthority.shared.get().certificatePEM } catch {
            throw ShuntFailure(description: error.message)
        }
    }

    // MARK: Profiles and mocks

    /// Makes another profile active.
    public func use(_ profile: String) async throws(ShuntFailure) {
        do throws(ProxyError) { try proxy.use(profile) } catch {
            throw ShuntFailure(description: "profile \(profile) cannot be used: \(error)")
        }
    }

    /// Puts a mock before all routes of the active profile, for this test.
    ///
    ///     try await Shunt.current.mock("api.shop.test/v1/orders", #"{ status: 503, text: "busy" }"#)
    ///
    /// - Parameters:
    ///   - route: host and path, as `--set` has them.
    ///   - response: what the key `mock` of a route has (docs/mocks.md), as JSON5.
    public func mock(_ route: String, _ response: String) async throws(ShuntFailure) {
        let text = "routes.\(route)={ mock: \(response) }"
        let (mocks, active) = (state.withLock { $0.mocks } + [text], proxy.profiles?.active ?? "")
        // The last one counts: it was said last.
        let library = try source.load(RunSettings(profile: active, texts: mocks.reversed()))
        do throws(ProxyError) { try proxy.replace(with: library) } catch {
            throw ShuntFailure(description: "the mock cannot be used: \(error)")
        }
        state.withLock { $0.mocks = mocks }
    }

    // MARK: Traffic

    /// The exchanges of this test that have ended by now; waits for those that are under way.
    public var traffic: Traffic {
        get async throws(ShuntFailure) {
            // A client may have its response before the exchange is recorded.
            for _ in 0..<5000 {
                let status = await proxy.status()
                let counts = store.statistics
                if status.active == 0, counts.recorded + counts.droppedExchanges >= status.exchanges { break }
                try? await Task.sleep(for: .milliseconds(1))
            }
            return try Traffic(path: store.path, profiles: proxy.profiles?.library)
        }
    }
}

/// One authority for all engines of a process: clients trust it once, and making it takes time.
private enum TestAuthority {
    static let shared: Result<DevelopmentCA, TLSFailure> = {
        do throws(TLSFailure) { return .success(try DevelopmentCA.ephemeral()) } catch { return .failure(error) }
    }()
}

/// Why Shunt cannot do what a test asks for.
public struct ShuntFailure: Error, Sendable, CustomStringConvertible {
    public let description: String
}

extension ProfilesSource {
    func load(_ settings: RunSettings?) throws(ShuntFailure) -> ProfileLibrary {
        if case .texts(let texts) = self {
            let files = texts.map { (path: "\($0.key).json5", bytes: Array($0.value.utf8)) }
            do throws(ProfileProblems) { return try ProfileLibrary.load(files: files, settings: settings) } catch {
                throw ShuntFailure(description: error.description)
            }
        }
        let directory = try folder
        do throws(ProfileProblems) { return try ProfileLibrary.load(directory: directory, settings: settings) } catch {
            throw ShuntFailure(description: error.description)
        }
    }

    private var folder: String {
        get throws(ShuntFailure) {
            switch self {
            case .folder(let path): return Path.absolute(path)
            case .texts: return ""
            case .near(let file):
                guard let found = ProfileLibrary.discover(from: Path.directory(of: file)) else {
                    throw ShuntFailure(
                        description: "there is no folder Profiles beside or above \(file); name it: "
                            + ".shunt(profiles: \"…\")")
                }
                return found
            }
        }
    }
}
