import Admin
import Engine
import JSON
import Reactor

extension Command {
    static let serve = Command(
        name: "serve",
        summary: "Run Shunt in front of the origins of its profiles.",
        usage: "serve [options]",
        details: [
            "HTTP and HTTPS are accepted on the same port. Profiles are read again when their files change and on "
                + "SIGHUP; `shunt use NAME` switches to another one while requests flow. After SIGTERM or Ctrl-C "
                + "exchanges in progress may finish; a second one ends Shunt at once (a second SIGTERM only if it "
                + "comes more than a second later).",
            "The log goes to standard error: one line per exchange, for people or (--log json) for machines.",
            "With --detach the command returns as soon as Shunt listens; Shunt then runs in the background until "
                + "`shunt stop`. Its log is .shunt/PORT.log beside the profiles. If it cannot start, the command fails "
                + "as it would without --detach. A server that crashes or is killed is started again.",
        ],
        options: ServeSettings.options,
        examples: [
            ("Use the local profile", "shunt serve --profile local"),
            (
                "Without files: two profiles, local and staging",
                "shunt serve --origin https://localhost:3000 --origin staging=https://api.staging.shop.example"
            ),
            (
                "In a script: any free port, and a file that names it",
                "shunt serve --port 0 --ready-file shunt.json --log json"
            ),
            (
                "Another server for one path, this time only",
                "shunt serve --set 'routes.api.shop.test/v1/cart/*=https://localhost:3001'"
            ),
            ("In the background, until `shunt stop`", "shunt serve --detach"),
            ("Allow a phone in the same network", "shunt serve --host 0.0.0.0"),
        ],
        signals: Signals.served, run: ServeCommand.run)
}

/// What `shunt serve` does.
enum ServeCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        var settings = try ServeSettings.read(arguments)
        do {
            let signals = try startSignals()
            let isDetached = arguments.has("detach")
            if isDetached, let keeper = DetachedKeeper() { return try await keeper.run(settings, signals) }
            let background = isDetached ? DetachedServer() : nil
            var found = try Project.served(arguments)
            found.isStrict = arguments.has("strict")
            let formerPort = background?.formerPort ?? (arguments.has("resume") ? settings.port : nil)
            settings.resumed = formerPort.flatMap {
                RestartState.left(port: $0, in: AdminFile(profilesDirectory: found.profilesDirectory).directory)
            }
            settings.resumed?.apply(to: &settings)
            let project = try found.setting(arguments.texts("set")) { library in
                try found.choose(settings.profile, from: library)
            }
            if isDetached, background == nil { return try await DetachedStart(settings, found).run(signals) }
            let recording = try settings.recording.map { name in
                try ServeRecording(name, settings, project)
            }
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let server = try await Server.start(settings, project, recording: recording, wake: wake)
            let log = background?.tell(server.started)
            let logging = log.map { log in Task { await log.watch() } }
            let recorder = recording.map { recording in Task { await recording.run() } }
            let misses = ServeMisses(server)
            let missing = misses.map { misses in Task { await misses.run(wakes) } }
            let status = await Lifetime(server: server).run(signals)
            missing?.cancel()
            await misses?.finish()
            recorder?.cancel()
            recording?.finish()
            logging?.cancel()
            return status
        } catch {
            // A stream that machines read has no line for people, not even the last one.
            guard settings.log == .json, !(error is UsageError) else { throw error }
            let failure = CommandFailure(error)
            settings.announcer.warn(.failed, failure.message, ["message": failure.message, "advice": failure.advice])
            return 1
        }
    }

    static func startSignals(_ numbers: [CInt] = Signals.served) throws -> AsyncStream<CInt> {
        do throws(SystemError) { return try Signals.stream(numbers, insists: numbers == Signals.served) } catch {
            throw CommandFailure(ProxyError.system(error), option: "")
        }
    }
}
