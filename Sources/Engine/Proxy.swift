public import Exchanges
import Platform
public import Profiles
public import Reactor
public import Store
import Synchronization
public import TLS

/// A running reverse proxy: listeners, workers, and profiles.
///
/// Several may live in one process.
public final class Proxy: Sendable {
    /// The settings of a proxy.
    public struct Configuration: Sendable {
        public var addresses: [SocketAddress]
        /// Threads; each has its own connections and origin pools.
        public var workers: Int
        public var limits: Limits
        /// Certificates towards clients; nil to speak plain HTTP only.
        ///
        /// With them both are spoken on each port.
        public var identities: Identities?
        /// A PEM file; clients must speak TLS and show a certificate of one of these authorities.
        ///
        /// nil asks for none.
        public var clientAuthorities: String?
        public var observer: (any ExchangeObserver)?
        /// Is told of each exchange that comes near to a limit of time, with the failure that it will have then.
        ///
        /// Called on a worker's thread, as the observer.
        public var didStall: (@Sendable (Exchange) -> Void)?
        /// Records traffic; it writes the log itself, so that the observer may be nil then.
        public var store: TrafficStore?
        /// Is told what becomes of the programs of origins.
        ///
        /// Called on a worker's thread.
        public var didChangeProgram: (@Sendable (ProgramStatus) -> Void)?
        /// Continues the traces of clients and begins others (W3C Trace Context); nil passes their fields on as they are.
        public var tracing: TraceSampling?
        /// Sends the spans of those traces to a collector; nil sends none.
        public var spans: SpanExport?
        /// Which clients have a profile of their own.
        public var devices = Devices()
        /// Which machines of users respond in place of origins.
        public var attachments = Attachments(node: nil)
        /// Which profiles of kind `production` may be written to.
        public var locks = Locks()
        /// The memory for bodies of requests that are held, where it is that of another proxy, see ``Proxy/held``.
        public var held: HeldBodies?
        /// What the networks of clients are like, beside what profiles say.
        public var networks = Networks()
        /// Which exchanges are held while it runs; nil lets no exchange be held.
        public var breakpoints: Breakpoints? = Breakpoints()
        /// The mocks that are off.
        public var mocks = Mocks()
        /// Hosts with a port of their own among ``addresses``.
        public var hosts = HostPorts()
        /// Hosts that clients may use beside those that profiles name, and those that only this machine and its networks
        /// can have: what responds for every host refuses all others.
        public var allowedHosts: [ClientHostPattern] = []
        /// Serves clients that have it as their proxy; nil for a reverse proxy alone.
        public var forward: ForwardProxy?
        /// Proxies on the way to origins.
        public var next = NextProxies()
        /// Responds to requests under `/__shunt/` on every host; if nil, these go to origins, as any other path.
        ///
        /// Its responses have the same origin as proxied pages, whose scripts can read them.
        public var pages: (any Handler)?
        /// A field line of every response; nil for none.
        public var note: ResponseNote?
        /// Seconds since 1970, with which the ends of exceptions are compared.
        package var clock: @Sendable () -> Int64 = { Int64(time(nil)) }
        /// What the workers' loops take for the time, with which deadlines are compared.
        package var loopClock: @Sendable () -> Instant = { .now() }
        package var resolver = Resolver()
        /// The hosts file, which has names of this machine.
        package var hostsFile = "/etc/hosts"

        public init(
            addresses: [SocketAddress], workers: Int = 1, limits: Limits = Limits(), identities: Identities? = nil,
            observer: (any ExchangeObserver)? = nil
        ) {
            self.addresses = addresses
            self.workers = max(1, workers)
            self.limits = limits
            self.identities = identities
            self.observer = observer
        }
    }

    package enum Source: Sendable {
        case profiles(ActiveEnvironment)
        case handler(any Handler)
    }

    /// What all workers share: the settings, and what is made of them once.
    @dynamicMemberLookup
    package final class Shared: Sendable {
        let configuration: Configuration
        let source: Source
        let revocations = RevocationCache()
        /// For work of loops that blocks or takes long.
        let threads = Threads(name: "worker files", limit: 8)
        let serverContext: ServerContext?
        /// Responses for when an origin cannot be reached.
        let kept: KeptResponses
        package let held: HeldBodies
        let visits = SiteVisits()
        let tokenOwners = TokenOwners()
        let clientPrograms = ClientPrograms()
        let ownNames: OwnNames
        let connections = Atomic<Int>(0)
        /// nil where clients have no limits of their own.
        let clientLimits: ClientLimits?

        package init(_ settings: Configuration, _ source: Source) throws(TLSFailure) {
            var configuration = settings
            // A certificate of the user's own has the names by which clients reach it.
            if case .own(let identity) = settings.identities {
                configuration.allowedHosts += identity.summary.names.compactMap { try? ClientHostPattern($0) }
            }
            (self.configuration, self.source) = (configuration, source)
            held = configuration.held ?? HeldBodies(limit: configuration.limits.heldBodies)
            ownNames = OwnNames(hosts: configuration.hostsFile)
            kept = KeptResponses(clock: configuration.clock)
            clientLimits = ClientLimits(configuration.limits)
            serverContext = try settings.identities.map { (identities) throws(TLSFailure) in
                try ServerContext(
                    identities: identities, alpn: ["h2", "http/1.1"], clientAuthorities: settings.clientAuthorities,
                    clock: settings.clock)
            }
        }

        package subscript<Value>(dynamicMember key: KeyPath<Configuration, Value>) -> Value {
            configuration[keyPath: key]
        }
    }

    /// The memory for bodies of requests that are held.
    public var held: HeldBodies { shared.held }
    /// Where it listens, with the ports that the system chose.
    public let addresses: [SocketAddress]
    let source: Source
    let workers: [Worker]
    private let loops: [Loop]
    let shared: Shared
    /// nil where no spans are sent.
    let spans: SpanExporter?

    /// Starts a proxy whose responses come from profiles.
    public static func start(
        _ configuration: Configuration, profiles library: ProfileLibrary, active: String
    ) async throws(ProxyError) -> Proxy {
        let environment = try Environment(library, active: active, configuration.mocks)
        return try await Proxy(configuration, .profiles(ActiveEnvironment(environment, configuration.mocks)))
    }

    /// Starts a proxy whose responses all come from a handler.
    public static func start(
        _ configuration: Configuration, handler: any Handler
    ) async throws(ProxyError) -> Proxy {
        try await Proxy(configuration, .handler(handler))
    }

    private init(_ configuration: Configuration, _ source: Source) async throws(ProxyError) {
        self.source = source
        let (configuration, queue) = Self.observed(configuration)
        do throws(TLSFailure) {
            shared = try Shared(configuration, source)
        } catch {
            throw .certificates(error.message)
        }
        var perWorker = [[Listener]](repeating: [], count: configuration.workers)
        var bound: [SocketAddress] = []
        for address in configuration.addresses {
            do throws(SystemError) {
                let first = try Listener.several(address, loops: configuration.workers)
                bound.append(first[0].address)
                for (index, listener) in first.enumerated() { perWorker[index].append(listener) }
            } catch {
                throw .cannotListen(address, error)
            }
        }
        addresses = bound
        var (loops, workers): ([Loop], [Worker]) = ([], [])
        do throws(SystemError) {
            for index in 0..<configuration.workers {
                loops.append(try Loop(name: "worker \(index)", clock: configuration.loopClock))
            }
            let shared = shared
            workers = loops.map { Worker($0, shared) }
            for (worker, listeners) in zip(workers, perWorker) { try await worker.start(listeners) }
            spans = try queue.map { (queue, settings) throws(SystemError) in
                try SpanExporter(settings, queue, configuration, source)
            }
        } catch {
            // What has begun to accept does not go on.
            for worker in workers { await worker.abort() }
            for worker in workers { await worker.drain() }
            for loop in loops { loop.stop() }
            throw .system(error)
        }
        (self.loops, self.workers) = (loops, workers)
        if let spans { Task { await spans.run() } }
        shared.networks.onChange { [workers] in
            for worker in workers { Task { await worker.networksChanged() } }
        }
        shared.attachments.onEnd { [workers] attachment, _ in
            for worker in workers { Task { await worker.detach(attachment) } }
        }
        await programs.startOwn()
        startReflecting()
    }

    /// Finds out whether a proxy could work with these profiles, without starting one.
    public static func check(_ library: ProfileLibrary) throws(ProxyError) {
        if let first = library.profiles.first { _ = try Environment(library, active: first.name, Mocks()) }
    }

    /// Makes another profile active.
    ///
    /// No request fails: those in flight finish under the profile with which they began.
    public func use(_ profile: String) throws(ProxyError) {
        if case .profiles(let activeEnvironment) = source { try activeEnvironment.use(profile) }
    }

    /// Takes over profiles that were read anew.
    ///
    /// Connections to origins stay, but for those whose trust rule, or a file that it names, has changed.
    /// - Returns: the production profiles that are read-only again, since their names stand for other origins now.
    @discardableResult
    public func replace(with library: ProfileLibrary) throws(ProxyError) -> [Unlocking] {
        guard case .profiles(let activeEnvironment) = source else { return [] }
        let old = activeEnvironment.environment.library
        let locked = locks.list().map(\.profile).filter { library.hasNewProduction(of: $0, since: old) }
            .compactMap { locks.revoke($0) }
        let environment = try activeEnvironment.replace(with: library)
        shared.kept.keepOnly(environment.keptGroups)
        mocks.tokens.keepOnly(environment.tokens)
        programs.follow(environment)
        mocks.reflections.didReplace(now: loopClock())
        // Tunnels that are open are judged again.
        for worker in workers { Task { await worker.takeOver() } }
        return locked
    }

    /// The files of trust rules that had other content when the profiles were read last than before.
    public var changedTrustFiles: [String] {
        guard case .profiles(let activeEnvironment) = source else { return [] }
        return activeEnvironment.environment.contexts.changedFiles
    }

    /// Returns when every worker has taken over what was changed before: each request that begins from now on is served
    /// by it.
    ///
    /// - Returns: how many requests that began before wait for the beginning of their response.
    @discardableResult
    public func settle() async -> Int {
        var unanswered = 0
        for worker in workers { unanswered += await worker.takeOver() }
        return unanswered
    }

    /// The profiles as they are now, and the active one's name.
    public var profiles: (library: ProfileLibrary, active: String)? {
        guard case .profiles(let activeEnvironment) = source else { return nil }
        let environment = activeEnvironment.environment
        return (environment.library, environment.active.profile.name)
    }

    /// Which clients have a profile of their own.
    public var devices: Devices { shared.devices }

    /// Which machines of users respond in place of origins.
    public var attachments: Attachments { shared.attachments }

    /// The programs of this machine that are connected.
    public var clientPrograms: ClientPrograms { shared.clientPrograms }

    /// Which profiles of kind `production` may be written to.
    public var locks: Locks { shared.locks }

    /// Where it records; nil for nowhere.
    public var store: TrafficStore? { shared.store }

    /// What the networks of clients are like, beside what profiles say.
    public var networks: Networks { shared.networks }

    /// Which exchanges are held; nil where none may be.
    public var breakpoints: Breakpoints? { shared.breakpoints }

    var mocks: Mocks { shared.mocks }

    var loopClock: @Sendable () -> Instant { shared.loopClock }

    /// Bytes of responses that are kept for when origins cannot be reached.
    package var keptBytes: Int { shared.kept.size }

    func switchMocks<Failure>(_ body: (inout MockSwitches) throws(Failure) -> Void) throws(Failure) {
        if case .profiles(let activeEnvironment) = source { try activeEnvironment.switchMocks(body) }
    }

    /// Connects to each of these origins under its policy and sends nothing; results are in the same order.
    public func look(at addresses: [OriginAddress]) async -> [ProbeResult] {
        guard let worker = workers.first else { return [] }
        return await worker.probe(addresses.map { ProbeTarget(address: $0, profiles: [], sendsRequest: false) })
    }

    /// Asks every origin of every profile for its base path, side by side.
    ///
    /// It connects and verifies certificates as for traffic, on connections of its own. Returns when the last one has
    /// responded or its time is over; ``drain()`` and ``abort()`` end it early.
    /// - Parameter profile: the one whose origins are asked; nil for all.
    public func probe(_ profile: String? = nil) async -> [ProbeResult] {
        guard let library = profiles?.library, let worker = workers.first else { return [] }
        let targets = ProbeTarget.list(library)
        let wanted = profile.map { name in targets.filter { $0.profiles.contains(name) } } ?? targets
        return await worker.probe(wanted).map(programs.explained)
    }

    /// Stops accepting and lets exchanges in flight finish; returns when all connections are closed.
    public func drain() async {
        breakpoints?.close()
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.drain() } }
        }
        await spans?.finish()
        mocks.programs.stop(now: loopClock())
    }

    /// Ends every exchange where it is; ``drain()`` then returns soon.
    public func abort() async {
        for worker in workers { await worker.abort() }
    }

    /// Ends the threads.
    ///
    /// To be called once, after ``drain()``.
    public func stop() {
        // The workers keep the networks and attachments, which keep this.
        shared.networks.onChange(nil)
        mocks.reflections.onWish(nil)
        shared.attachments.close()
        mocks.programs.waitForEnd()
        for loop in loops { loop.stop() }
        spans?.stop()
    }
}
