import Engine
import Expectations
import Platform
import Profiles
import Reactor
import Store
import TLS

extension Command {
    static let run = Command(
        name: "run",
        summary: "Run a command with Shunt in front of its origins, for tests and CI.",
        usage: "run [options] -- COMMAND [ARGUMENT…]",
        details: [
            "Shunt listens on free ports while the command runs, and the command finds it by its environment: SHUNT_URL "
                + "for all hosts, SHUNT_URL_API_SHOP_TEST for the host api.shop.test, and so on for each host that a route "
                + "of the profile names. SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, GIT_SSL_CAINFO, "
                + "NODE_EXTRA_CA_CERTS and JAVA_TOOL_OPTIONS name the system's roots together with Shunt's CA, which is in "
                + "SHUNT_CA alone.",
            "The command inherits standard input, output and error, and leads a process group of its own: signals are passed "
                + "on to it, the second SIGINT or SIGTERM ends it at once, and processes that it has left are ended, too.",
            "Exit status: that of the command; 2: it was 0, but expectations are not met, or --unused error found unused "
                + "entries; 128 plus the signal's number if a signal ended the command; 64: wrong usage; 125: Shunt could "
                + "not start or check the traffic; 126: the command cannot be run; 127: it does not exist.",
        ],
        options: RunOptions.options,
        operands: 1...Int.max,
        examples: [
            ("Tests against staging", "shunt run --profile staging -- swift test"),
            (
                "An app that reads its base URL from API_URL",
                "shunt run --base-url-env API_URL=https://api.shop.test -- pytest"
            ),
            ("What was recorded, without any origin", "shunt run --replay checkout -- npm test"),
            ("Does the API respond as its document says?", "shunt run --openapi api.yaml -- npm test"),
            (
                "No failures of the server, and nothing to production",
                "shunt run --expect '~c 5xx: 0' --expect 'never production' -- npm test"
            ),
        ],
        signals: Signals.forwarded, run: RunCommand.run)
}

/// What `shunt run` does.
enum RunCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let options = try RunOptions.read(arguments)
        let environment = ProcessEnvironment.current
        keepStandardStreams()
        do {
            var found = try Project.find(arguments)
            found.isStrict = arguments.has("strict")
            let project = try found.setting(arguments.texts("set")) { library in
                try found.choose(options.profile, from: library)
            }
            return try await CommandRun(options, project, environment).run()
        } catch {
            guard !(error is UsageError) else { throw error }
            Terminal.complain(CommandFailure(error))
            return 125
        }
    }

    /// A standard stream that is closed stays closed for the command, and no file of this process takes its number.
    private static func keepStandardStreams() {
        for descriptor: CInt in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR | O_CLOEXEC) }
    }
}

/// One run from its start to the command's end.
struct CommandRun {
    private let options: RunOptions
    private let library: ProfileLibrary
    private let root: String
    private let profilesDirectory: String
    private let replay: RunReplay?
    private let active: String
    private let hosts: RunHosts
    private let environment: ProcessEnvironment
    private let expectations: [Expectation]

    init(_ options: RunOptions, _ project: Project, _ environment: ProcessEnvironment) throws {
        (self.options, self.environment) = (options, environment)
        root = project.root
        profilesDirectory = project.profilesDirectory
        var library = try project.load()
        active = try project.choose(options.profile, from: library)
        replay = try options.replay.map { options in try RunReplay(options, project) }
        if let replay { library = replay.applied(to: library) }
        self.library = library
        guard let profile = library[active] else { throw CommandFailure.noProfile(active, in: library) }
        hosts = try RunHosts(profile, bases: options.baseURLs)
        expectations = try ExpectOptions.read(options.expectations)
    }

    func run() async throws -> CInt {
        let signals = try ServeCommand.startSignals(Signals.forwarded)
        let folder = try CommandFailure.of(advice: "Set TMPDIR to a folder that can be written to.") { try RunFolder() }
        let group = CommandGroup(folder: folder.path)
        defer {
            folder.remove()
            group.release()
        }
        Task {
            for await signal in signals where !group.take(signal) && Signals.ending.contains(signal) {
                folder.remove()
                group.release()
                _exit(128 + signal)
            }
        }
        let authority = try authority(folder)
        let recording =
            try options.isRecorded
            ? RunRecording(
                options.store ?? folder.store,
                StorePlace.completed(options.postgres, options.store, profiles: profilesDirectory),
                expectations, options.contracts, isWhole: options.record != nil) : nil
        let archive = try options.record.map { name in
            try RunArchive(name, root, recording)
        }
        let mocks = Mocks(seed: options.seed, time: replay?.time)
        let engine = try await RunEngine.start(
            library, active, hosts, authority, recording?.store, mocks, options.network)
        defer { engine.proxy.stop() }
        replay?.begin(hosts, engine)
        var admin: RunAdmin?
        if options.hasAdmin {
            admin = try await RunAdmin(engine, profiles: profilesDirectory, store: recording?.store.path)
        }
        let writing = archive.map { archive in Task { await archive.run() } }
        if let time = options.waitTime { try await engine.waitForOrigins(of: active, nanoseconds: time) }
        let status = await status(group, folder, engine)
        await admin?.stop()
        await engine.drain()
        recording?.store.finish()
        writing?.cancel()
        try await archive?.finish()
        // What a failed command leaves is reported, too; its own status says more.
        let isUsed = replay?.finish() ?? true
        let isMet = try recording?.finish(library, options.reports) ?? true
        return status == 0 && !(isMet && isUsed) ? ExpectCommand.notMet : status
    }

    /// Runs the command to its end.
    private func status(_ group: CommandGroup, _ folder: RunFolder, _ engine: RunEngine) async -> CInt {
        var environment = environment
        RunVariables.add(to: &environment, folder, hosts) { engine.port($0) }
        do throws(CommandGroup.StartFailure) {
            let ends = try group.start(options.command, environment: environment.texts)
            // Only now: the command has the limit that it would have without Shunt.
            _ = ProcessLimits.raiseDescriptors()
            for await status in ends { return status }
            return 125
        } catch {
            let name = options.command[0]
            let isMissing = error.code == ENOENT || error.code == ENOTDIR
            Terminal.complain(
                "\(name) cannot be run: \(String(cString: strerror(error.code)))",
                advice: isMissing
                    ? "Name a program of PATH, or give its path; options of Shunt stand before `--`." : nil)
            return isMissing ? 127 : 126
        }
    }

    private func authority(_ folder: RunFolder) throws -> DevelopmentCA {
        let authority = try CommandFailure.of("the certificates towards clients cannot be used") {
            try options.certificates.map { try DevelopmentCA.loadOrCreate(directory: $0).authority } ?? .ephemeral()
        }
        try CommandFailure.of(advice: "Set TMPDIR to a folder that can be written to.") {
            try folder.write(authority, environment: environment)
        }
        return authority
    }
}
