import Admin
import Engine
import Exchanges
import Expectations
import JSON
import Metrics
import Platform
import Profiles
import Reactor
import Store
import Synchronization
import TLS

/// A proxy with all that a user's own has around it: certificates, log, admin interface, reload.
final class Server: Sendable {
    let proxy: Proxy
    let admin: AdminServer
    private let pages: PageServer?
    private let cluster: ServeCluster?
    let started: Started
    let settings: ServeSettings
    let announcer: Announcer
    let reloader: Reloader
    private let adminFile: AdminFile
    /// Watches over the admin file.
    let keeper: FolderKeeper
    private let deviceFile: DeviceFile
    private let log: LogWriter?
    let store: TrafficStore?
    private let readiness: Readiness
    private let users: Users

    /// Starts everything; what was started is stopped again when a later part fails.
    /// - Parameters:
    ///   - recording: is written whenever the store is.
    ///   - wake: gets an element whenever the store has written, and when profiles were read again.
    static func start(
        _ settings: ServeSettings, _ project: Project, recording: ServeRecording? = nil,
        wake: AsyncStream<Void>.Continuation? = nil
    ) async throws -> Server {
        settings.announcer.tellIfFew(descriptors: ProcessLimits.raiseDescriptors())
        settings.readyFile?.remove()
        try settings.tls.start()
        let seen = FolderWatch(project.watchedDirectory)
        let library = try project.load()
        let resumed = settings.resumed.flatMap { library[$0.profile]?.name }
        let chosen = if let resumed { resumed } else { try project.choose(settings.profile, from: library) }
        let certificates = try ServerCertificates(settings.certificates, project)
        let log = try settings.logFormat.map {
            try LogWriter(descriptor: 2, format: $0, keepsSecrets: settings.store.keepsSecrets, isHeld: settings.isDemo)
        }
        let store: TrafficStore?
        do {
            if library.sealing != nil, settings.recording != nil {
                throw CommandFailure(
                    "--record writes in the clear, and a profile says \"store\": { \"seal\": true }",
                    advice: "Leave --record away, or write a recording later with `shunt record`.")
            }
            store = try settings.store.open(project, library.sealing, log, settings.announcer, recording, wake)
        } catch {
            log?.finish()
            throw error
        }
        if store == nil, library.profiles.contains(where: { $0.routes.contains { $0.contract != nil } }) {
            let text = "exchanges are compared with a \"contract\" as they are recorded, and nothing is recorded"
            settings.announcer.warn(.contract, text, ["message": text])
        }
        let deviceFile = DeviceFile(profilesDirectory: project.profilesDirectory)
        let signpost = PageSignpost()
        let own: (any ExchangeObserver)? = store == nil ? log : nil
        let meters = settings.hasMetrics ? ExchangeMeters(next: own) : nil
        var cluster: ServeCluster?
        let active: String
        let proxy: Proxy
        do {
            cluster = try ServeCluster.connect(settings, project)
            active = cluster?.active(library, settings.profile, else: chosen) ?? chosen
            var configuration = Proxy.Configuration(
                addresses: [], workers: settings.workers, limits: settings.limits,
                identities: certificates.identities, observer: meters ?? own)
            configuration.store = store
            if let log { configuration.didStall = { log.exchangeStalled($0) } }
            configuration.didChangeProgram = { settings.announcer.tell($0) }
            configuration.tracing = settings.traces.tracing
            configuration.spans = settings.traces.export
            configuration.spans?.told = { settings.announcer.tell($0) }
            configuration.clientAuthorities = settings.tls.clientAuthorities
            configuration.allowedHosts =
                settings.allowedHosts
                + settings.adminListening.hosts.compactMap { try? ClientHostPattern($0) }
            configuration.forward = settings.proxying.forward
            configuration.next = settings.proxying.next
            configuration.networks = Networks(run: settings.network)
            settings.resumed?.choose(configuration.networks)
            configuration.mocks = Mocks(
                restoring: settings.resumed?.mocks
                    ?? MockSwitchFile(profilesDirectory: project.profilesDirectory).read())
            add(deviceFile, signpost, to: &configuration, settings)
            cluster?.prepare(&configuration)
            proxy = try await listen(settings, library, active, configuration)
            settings.resumed?.unlock(proxy.locks, library)
        } catch {
            await cluster?.stop()
            store?.finish()
            log?.finish()
            throw error
        }
        var pages: PageServer?
        do {
            try await cluster?.begin(proxy, settings, project)
            let audit = AuditLog(profilesDirectory: project.profilesDirectory)
            pages = try await startPages(settings, certificates, proxy, cluster?.member, audit)
            if let pages { signpost.pagesListen(on: pages.port) }
            let server = try await Server(
                settings, project, proxy, pages, cluster, log, store, active, seen, deviceFile, meters,
                certificates.authority, wake)
            try await server.listenForOthers(certificates)
            try server.announce(library, certificates, project)
            if !settings.isDemo { settings.errors.pass(through: log) }
            return server
        } catch {
            await cluster?.stop()
            await pages?.stop()
            await proxy.abort()
            await proxy.drain()
            proxy.stop()
            store?.finish()
            log?.finish()
            throw error
        }
    }

    private init(
        _ settings: ServeSettings, _ project: Project, _ proxy: Proxy, _ pages: PageServer?, _ cluster: ServeCluster?,
        _ log: LogWriter?, _ store: TrafficStore?, _ active: String, _ seen: FolderWatch, _ deviceFile: DeviceFile,
        _ meters: ExchangeMeters?, _ authority: String?, _ wake: AsyncStream<Void>.Continuation?
    ) async throws {
        (self.settings, self.proxy, self.pages, self.cluster) = (settings, proxy, pages, cluster)
        (self.log, self.store, self.deviceFile) = (log, store, deviceFile)
        let announcer = settings.announcer
        self.announcer = announcer
        let reloader = Reloader(
            project, proxy, announcer, seen: seen, wake: wake,
            recordsInClear: store != nil && !settings.store.isSealed && proxy.profiles?.library.sealing == nil)
        self.reloader = reloader
        adminFile = AdminFile(profilesDirectory: project.profilesDirectory)
        let port = proxy.addresses.first?.port ?? settings.port
        var facts = AdminFacts(
            pid: getpid(), version: Tool.version, startedAt: Int64(time(nil)),
            urls: ListenAddress.urls(settings.hosts, port: port), pages: pages?.addresses ?? [],
            pageURLs: pages.map { ListenAddress.urls(settings.hosts, port: $0.port) } ?? [],
            profilesDirectory: project.watchedDirectory ?? "",
            store: store?.path,
            inspector: settings.hasInspector
                ? InspectorSecrets.kept(profilesDirectory: project.profilesDirectory) : nil)
        facts.originFiles = project.origins.map { ($0.files, project.settings?.texts ?? []) }
        facts.keyLog = settings.tls.keyLog
        let users = Users(profilesDirectory: project.profilesDirectory)
        self.users = users
        facts.users = users
        facts.audit = AuditLog(profilesDirectory: project.profilesDirectory)
        facts.cluster = cluster?.member
        if let meters {
            var statistics: (@Sendable () -> StoreStatistics)?
            if let store { statistics = { store.statistics } }
            var lostLines: (@Sendable () -> UInt64)?
            if let log { lostLines = { log.lost } }
            facts.monitoring = Monitoring(
                meters, token: try Self.metricsToken(settings, project), store: statistics, lostLines: lostLines)
        }
        let readiness = Readiness()
        self.readiness = readiness
        let locks = proxy.locks
        let states = KeptState()
        var actions = AdminActions(
            reload: { await reloader.reload() },
            didUse: { old, new in
                states.keep()
                announcer.tell(
                    .using, "profile \(new) is active now, before it was \(old)",
                    ["profile": new, "previous": old])
            })
        actions.catchUp = { await reloader.catchUp() }
        actions.didChangeDevice = { announcer.tell($0) }
        actions.didUnlock = {
            states.keep()
            announcer.tellUnlocked($0, locks)
        }
        actions.didLock = {
            states.keep()
            announcer.tellLocked($0, "by `shunt lock`")
        }
        actions.didChangeMocks = {
            states.keep()
            announcer.tellMocks($0, $1, $2)
        }
        actions.keepMocks = { try MockSwitchFile(profilesDirectory: project.profilesDirectory).write($0) }
        actions.makeMock = { [path = store?.path ?? ""] id, profile in
            try RouteRefusal.explaining { try MocksFrom.make(id, store: path, profile: profile, project) }
        }
        actions.makeEdit = { [path = store?.path ?? ""] id, edit in
            try RouteRefusal.explaining { try EditFrom.make(id, store: path, edit, project) }
        }
        actions.isReady = { readiness.isReady }
        actions.readExpectations = { bytes, isTrusted in
            Result { () throws(ProfileProblems) in
                try ExpectationFile.read(posted: bytes, isTrusted: isTrusted).map(\.name)
            }
        }
        actions.verify = { [proxy] reader, expectations, session in
            try RouteRefusal.explaining {
                try SessionCheck.verify(expectations, of: session, reader, profiles: proxy.profiles?.library)
            }
        }
        actions.didFailToAudit = { announcer.tellUnaudited($0) }
        let networks = proxy.networks
        actions.didUnlockStore = { announcer.tellUnlockedStore($0) }
        actions.didLockStore = { announcer.tellLockedStore($0) }
        actions.didChooseNetwork = {
            states.keep()
            announcer.tellNetwork($0, $1, networks)
        }
        admin = try await Self.startAdmin(settings, proxy, facts, actions)
        let host = proxy.addresses.first?.host ?? "127.0.0.1"
        let networkHosts = ListenAddress.networkHosts(host)
        started = Started(
            facts: facts, port: port, host: host, networkHosts: networkHosts, admin: admin.address, profile: active)
        keeper = FolderKeeper(
            adminFile,
            AdminRecord(
                port: port, pid: facts.pid, urls: facts.urls, pages: facts.pageURLs, adminPort: admin.port,
                token: admin.token.text, profilesDirectory: project.profilesDirectory, store: store?.path,
                authority: authority, networkHosts: networkHosts),
            // The demo leaves nothing behind, and is told where its own is.
            settings.isDemo ? nil : RunningList(), announcer, proxy)
        states.keeper.withLock { [keeper] in $0 = keeper }
    }

    /// Lets other machines reach the admin interface, if they are to.
    private func listenForOthers(_ certificates: ServerCertificates) async throws {
        do {
            guard let url = try await settings.adminListening.start(admin, users, certificates.identities) else {
                return
            }
            announcer.tell(.admin, "users reach the admin interface at \(url)", ["url": url])
        } catch {
            await admin.stop()
            throw error
        }
    }

    private static func metricsToken(_ settings: ServeSettings, _ project: Project) throws -> AdminToken {
        var token: AdminToken?
        do throws(FileFailure) {
            guard let file = settings.metricsToken else {
                return try .kept(in: AdminFile(profilesDirectory: project.profilesDirectory).directory)
            }
            token = try AdminToken.read(file)
        } catch {
            throw CommandFailure(
                "the token for metrics cannot be \(settings.metricsToken == nil ? "kept" : "read"): \(error)")
        }
        guard let token else {
            throw CommandFailure(
                "--metrics-token \(Path.short(settings.metricsToken ?? "")) has no token that is secret",
                advice: "It takes 32 to 512 visible characters in one line, and a file that not all users may read "
                    + "(chmod 600).")
        }
        return token
    }

    /// Leaves the admin file, says what runs, and only then tells scripts that they may begin.
    private func announce(_ library: ProfileLibrary, _ certificates: ServerCertificates, _ project: Project) throws {
        do throws(FileFailure) {
            try adminFile.write(keeper.record)
            if !settings.isDemo {
                CrashNote.tell(in: adminFile.directory, announcer)
                if let resumed = settings.resumed {
                    announcer.tell(
                        .resumed, "goes on where pid \(resumed.pid) crashed or was killed: profile \(started.profile)",
                        ["previousPid": Int(resumed.pid), "profile": started.profile])
                }
                CrashNote.install(port: started.port, in: adminFile.directory)
                try keeper.beginState(pagesPort: pages?.port)
            }
            keeper.list()
            StartMessage(
                started: started, library: library, certificates: certificates, project: project,
                isDemo: settings.isDemo, store: store?.path, keepsSecrets: settings.store.keepsSecrets,
                spans: settings.traces.export?.place
            ).show(announcer)
            if settings.hasPhoneCode { Terminal.error(PhoneCode(started).text) }
            try settings.readyFile?.write(started)
        } catch {
            removeFiles()
            throw CommandFailure("\(error)", advice: "Shunt needs to write there; check the folder's permissions.")
        }
    }

    /// No new requests are welcome any more.
    func willDrain() {
        readiness.end()
        keeper.endState()
    }

    /// Takes back what was left for others to find; safe to call at any time.
    func removeFiles() {
        adminFile.remove(port: started.port, pid: started.facts.pid)
        keeper.unlist()
        keeper.endState()
        settings.readyFile?.remove()
    }

    /// Writes the log of a demo, which waits for its report.
    func releaseLog() {
        log?.release()
        settings.errors.pass(through: log)
    }

    /// Ends the threads and writes the waiting lines of the log; to be called once, when the proxy is drained.
    func stop() async {
        // First: it asks the proxy's threads, which no longer respond after its end.
        await cluster?.stop()
        // In this order: the admin interface and the pages ask the proxy, whose threads no longer respond after its
        // end.
        await admin.stop()
        await pages?.stop()
        proxy.stop()
        // The store tells the log what it has written.
        store?.finish()
        log?.finish(seconds: 1)
        deviceFile.finish()
        removeFiles()
    }
}

/// The keeper of the state, which is made after the actions that change it.
private final class KeptState: Sendable {
    let keeper = Mutex<FolderKeeper?>(nil)
    func keep() { keeper.withLock { $0 }?.keepState() }
}

/// Whether new requests are welcome.
private final class Readiness: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    var isReady: Bool { !hasEnded.load(ordering: .relaxed) }
    func end() { hasEnded.store(true, ordering: .relaxed) }
}

extension RouteRefusal {
    /// Errors in the words that commands have for them.
    fileprivate static func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            let failure = CommandFailure(error)
            throw RouteRefusal(message: failure.message, advice: failure.advice)
        }
    }
}
